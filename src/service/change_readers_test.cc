#include "service/change_readers.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace orrery::service {
namespace change_readers_test {

using std::chrono::minutes;
using std::chrono::seconds;

class ChangeReadersTest : public testing::Test {
protected:
    void poll(std::optional<std::string_view> before, std::string_view after) {
        poll_.before = before;
        poll_.after = after;
        readers_.note(poll_, now_);
    }
    std::vector<std::string> etags() {
        std::vector<std::string> out;
        for (const auto& reader : readers_.readers(now_)) {
            out.push_back(reader.etag);
        }
        return out;
    }
    using Etags = std::vector<std::string>;

    ChangeReaders readers_;
    ChangeReaders::TimePoint now_{minutes(100)};
    ChangeReaders::Poll poll_{
        .container = {.database = 1, .number = 2}, .epks = {"", "\xFF"}, .client = "test"};
};

TEST_F(ChangeReadersTest, FollowsAReaderByItsEtag) {
    poll(std::nullopt, "\"3\"");
    poll("\"3\"", "\"3\"");
    poll("\"3\"", "\"8\"");
    EXPECT_EQ(etags(), Etags({"\"8\""}));
    poll("\"3\"", "\"9\"");  // it did not get the answer, and asks again
    EXPECT_EQ(etags(), Etags({"\"9\""}));
}

TEST_F(ChangeReadersTest, TellsReadersApart) {
    poll(std::nullopt, "\"3\"");
    poll_.client = "another";
    poll("\"3\"", "\"4\"");
    poll_.epks.max_exclusive = "\x7F";
    poll("\"4\"", "\"5\"");
    poll_.container.number = 7;
    poll("\"5\"", "\"6\"");
    poll("*", "\"7\"");
    poll("*", "\"8\"");
    EXPECT_EQ(etags(), Etags({"\"3\"", "\"4\"", "\"5\"", "\"6\"", "\"7\"", "\"8\""}));
}

TEST_F(ChangeReadersTest, ForgetsReadersThatAreGone) {
    poll(std::nullopt, "\"1\"");
    now_ += minutes(3);
    poll(std::nullopt, "\"2\"");
    now_ += minutes(3);
    EXPECT_EQ(etags(), Etags({"\"2\""}));
}

TEST_F(ChangeReadersTest, KeepsTheLatestReadersWhenThereAreTooMany) {
    for (std::size_t i = 0; i <= ChangeReaders::kReadersMax; ++i) {
        now_ += std::chrono::milliseconds(1);
        poll(std::nullopt, std::to_string(i));
    }
    const Etags kept = etags();
    ASSERT_EQ(kept.size(), ChangeReaders::kReadersMax);
    EXPECT_EQ(kept.front(), "1");
    EXPECT_EQ(kept.back(), std::to_string(ChangeReaders::kReadersMax));
}

TEST_F(ChangeReadersTest, ShortensNames) {
    const std::string name(1000, 'x');
    poll_.client = name;
    poll(std::nullopt, "\"1\"");
    poll("\"1\"", "\"2\"");
    ASSERT_EQ(etags(), Etags({"\"2\""}));
    EXPECT_EQ(readers_.readers(now_).front().client.size(), ChangeReaders::kClientBytesMax);
}

}  // namespace change_readers_test
}  // namespace orrery::service
