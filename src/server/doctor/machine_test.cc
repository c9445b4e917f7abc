#include "server/doctor/machine.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "server/doctor/finding.h"
#include "server/doctor/processes.h"
#include "server/test_serve.h"

namespace orrery::server::doctor {
namespace machine_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;

ServeConfig defaults() { return *parse_serve({}).config; }

TEST(Memory, HasToSufficeForTheSettings) {
    EXPECT_EQ(check_memory(defaults(), {.usable = 8 * kGigabyte, .free = kGigabyte}).state,
              State::kGood);
    const Finding small = check_memory(defaults(), {.usable = kGigabyte, .free = kGigabyte});
    EXPECT_EQ(small.state, State::kWarning);
    EXPECT_THAT(small.advice, Contains(HasSubstr("--block-cache-mb")));
    EXPECT_EQ(check_memory(defaults(), {.usable = 8 * kGigabyte, .free = 1 << 20}).state,
              State::kWarning);
    const Memory measured = measure_memory();
    EXPECT_GT(measured.usable, 0U);
    EXPECT_GT(measured.free, 0U);
}

TEST(OpenFiles, HaveToSufficeForTheConnections) {
    EXPECT_EQ(check_open_files(defaults(), 1 << 20).state, State::kGood);
    EXPECT_EQ(check_open_files(defaults(), 4096).state, State::kWarning);
    EXPECT_THAT(check_open_files(defaults(), 4096).text, HasSubstr("2596 connections of 20000"));
    EXPECT_EQ(check_open_files(defaults(), 256).state, State::kProblem);
    EXPECT_EQ(check_open_files(defaults(), 0).state, State::kNote);
}

TEST(System, IsGoodWhereTestsRun) {
    EXPECT_EQ(check_system().state, State::kGood);
    EXPECT_THAT(check_system().text, HasSubstr("glibc"));
}

TEST(Listening, IsReadFromTheTables) {
    constexpr const char* kFour =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout"
        " inode\n"
        "   0: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0"
        " 4711 1 0000000000000000 100 0 0 10 0\n"
        "   1: 0100007F:1F92 0100007F:8000 01 00000000:00000000 00:00000000 00000000  1000        0"
        " 4712 1 0000000000000000 100 0 0 10 0\n";
    EXPECT_THAT(parse_listening(kFour),
                ElementsAre(ListeningSocket{
                    .address = "127.0.0.1", .port = 8081, .user = 1000, .inode = 4711}));
    constexpr const char* kSix =
        "heading\n"
        "   0: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A "
        "00000000:00000000 00:00000000 00000000     0        0 17 1 0 100 0 0 10 0\n"
        "cut off";
    EXPECT_THAT(parse_listening(kSix),
                ElementsAre(ListeningSocket{.address = "::1", .port = 80, .user = 0, .inode = 17}));
}

TEST(Text, HasALineForEachCheckAndItsAdvice) {
    const Findings findings{
        {.check = "port", .text = "free"},
        {.check = "disk", .state = State::kProblem, .text = "full", .advice = {"Free some."}}};
    EXPECT_EQ(text_of(findings),
              "good     port         free\n"
              "problem  disk         full\n"
              "                      Free some.\n");
    EXPECT_EQ(
        json_of(findings).text(),
        R"({"good":false,"checks":[{"check":"port","state":"good","text":"free","advice":[]},)"
        R"({"check":"disk","state":"problem","text":"full","advice":["Free some."]}]})");
    EXPECT_TRUE(has_problem(findings));
    EXPECT_FALSE(has_problem({findings[0]}));
}

}  // namespace machine_test
}  // namespace orrery::server::doctor
