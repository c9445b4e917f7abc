#include "service/continuation.h"

#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "model/limits.h"
#include "service/item_continuation.h"
#include "sql/exec/resume.h"
#include "sql/plan/positions.h"

namespace orrery::service {
namespace continuation_test {

const ContinuationSigner kSigner(std::string(32, 's'));

bool taken(std::string_view token, std::string_view scope = "scope") {
    const auto checked = kSigner.check(token, scope);
    if (!checked) {
        EXPECT_EQ(checked.error().code(), ErrorCode::kBadRequest);
    }
    return static_cast<bool>(checked);
}

TEST(Continuation, ReadsBack) {
    for (const std::string& resume :
         {std::string(), std::string("P\0\xff", 3), std::string(600, 'x')}) {
        const std::string token = kSigner.sign({.range_id = 7, .resume = resume}, "scope");
        EXPECT_LE(token.size(), model::limits::kContinuationBytesMax);
        const auto checked = kSigner.check(token, "scope");
        ASSERT_TRUE(checked);
        EXPECT_EQ(checked->range_id, 7U);
        EXPECT_EQ(checked->resume, resume);
    }
}

TEST(Continuation, IsDeterministic) {
    const Continuation position{.range_id = 7, .resume = "here"};
    EXPECT_EQ(kSigner.sign(position, "scope"), kSigner.sign(position, "scope"));
}

TEST(Continuation, OfAnotherScopeIsRefused) {
    const std::string token = kSigner.sign({.range_id = 7, .resume = "here"}, "scope");
    EXPECT_TRUE(taken(token));
    for (const char* scope : {"", "scop", "scope ", "Scope", "scopeh"}) {
        EXPECT_FALSE(taken(token, scope)) << scope;
    }
}

// Bytes cannot be moved between scope and payload.
TEST(Continuation, ScopeAndPayloadAreDelimited) {
    const std::string token = kSigner.sign({.range_id = 0, .resume = "x"}, "a");
    std::string bytes = *base64_decode(token);
    bytes.erase(16, 1);  // the first byte of the payload moves into the scope
    EXPECT_FALSE(taken(base64_encode(bytes), std::string("a\x01", 2)));
}

TEST(Continuation, OfAnotherServerIsRefused) {
    const ContinuationSigner other(std::string(32, 't'));
    EXPECT_FALSE(taken(other.sign({.range_id = 7, .resume = "here"}, "scope")));
}

TEST(Continuation, AnyChangeIsRefused) {
    const std::string token = kSigner.sign({.range_id = 7, .resume = "here"}, "scope");
    const std::string bytes = *base64_decode(token);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::string changed = bytes;
            changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
            EXPECT_FALSE(taken(base64_encode(changed))) << i;
        }
    }
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(taken(base64_encode(bytes.substr(0, size)))) << size;
    }
    EXPECT_FALSE(taken(base64_encode(bytes + "x")));
}

TEST(Continuation, MalformedTokenIsRefused) {
    for (const std::string& text : {std::string(),
                                    std::string("null"),
                                    std::string("{}"),
                                    std::string("%%%"),
                                    std::string(R"({"token":"x","range":{"min":"","max":"FF"}})"),
                                    std::string(5000, 'A'),
                                    std::string("\0\xff", 2),
                                    std::string(16, '=')}) {
        EXPECT_FALSE(taken(text)) << text;
    }
}

TEST(RangeContinuation, HasTheFormatOfTheGateway) {
    const RangeContinuation first{.token = "abc=", .epks = {"", std::string(model::kEpkEnd)}};
    EXPECT_EQ(first.to_json(), R"({"token":"abc=","range":{"min":"","max":"FF"}})");
    const auto read = RangeContinuation::parse(first.to_json());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->token, first.token);
    EXPECT_EQ(read->epks, first.epks);
    // The order of members does not matter, nor do additional ones.
    EXPECT_TRUE(RangeContinuation::parse(
        R"({"range":{"max":"ff","min":"05C1","isMinInclusive":true},"token":"abc="})"));
}

TEST(RangeContinuation, RefusesAnythingElse) {
    for (const std::string& text :
         {std::string(),
          std::string("abc="),
          std::string("{"),
          std::string("{}"),
          std::string("[]"),
          std::string(R"({"token":"abc="})"),
          std::string(R"({"token":null,"range":{"min":"","max":"FF"}})"),
          std::string(R"({"token":"abc=","range":"FF"})"),
          std::string(R"({"token":"abc=","range":{"min":""}})"),
          std::string(R"({"token":"abc=","range":{"min":"X","max":""}})"),
          std::string(R"({"range":{"min":"","max":"FF"}})"),
          R"({"token":")" + std::string(5000, 'A') + R"(","range":{"min":"","max":"FF"}})"}) {
        const auto read = RangeContinuation::parse(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code(), ErrorCode::kBadRequest) << text;
    }
}

const model::EpkRange kWhole{"", std::string(model::kEpkEnd)};

// Clients keep tokens: these bytes must never change.
TEST(ItemContinuation, WorkedExamples) {
    const auto hex = [](const ItemContinuation& one) { return to_hex_upper(one.encode()); };
    EXPECT_EQ(hex({.selected = kWhole, .parts = {{.epks = kWhole, .resume = "D1"}}}),
              "02"
              "00"
              "01FF"
              "00"
              "00"
              "024431");
    EXPECT_EQ(
        hex({.selected = {"A", "C"},
             .parts = {{.epks = {"B", "BB"}, .resume = ""}, {.epks = {"BB", "C"}, .resume = "x"}}}),
        "02"
        "0141"
        "0143"
        "0242"
        "034242"
        "00"
        "00"
        "0178");
}

TEST(ItemContinuation, ReadsBack) {
    for (const ItemContinuation& one :
         {ItemContinuation{kWhole, {{kWhole, std::string(600, 'x')}}},
          ItemContinuation{{"A", "C"}, {{{"A", "B"}, ""}}},
          ItemContinuation{{"A", "C"},
                           {{{"A", "B"}, "1"}, {{"B", "BC"}, "2"}, {{"BC", "C"}, "3"}}}}) {
        const auto again = ItemContinuation::decode(one.encode());
        ASSERT_TRUE(again);
        EXPECT_EQ(again->selected, one.selected);
        EXPECT_EQ(again->parts, one.parts);
    }
}

TEST(ItemContinuation, RefusesAnythingElse) {
    const std::string bytes =
        ItemContinuation{{"A", "C"}, {{{"A", "B"}, "1"}, {{"B", "C"}, "2"}}}.encode();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        // After the first part, the rest may be missing.
        const bool whole_part = size == bytes.size() - 3;
        EXPECT_EQ(static_cast<bool>(ItemContinuation::decode(bytes.substr(0, size))), whole_part)
            << size;
    }
    EXPECT_FALSE(ItemContinuation::decode("\x01" + bytes.substr(1)));
    // A part that ends where it begins.
    EXPECT_FALSE(
        ItemContinuation::decode(ItemContinuation{{"A", "C"}, {{{"B", "B"}, "1"}}}.encode()));
}

// The longest position and the longest EPKs: three hashes each.
TEST(RangeContinuation, FitsIntoOneKilobyte) {
    const std::string position(1 + 2 * 16 + sql::kPositionBytesMax, 'x');
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    constexpr std::size_t kLevels = model::limits::kQueryJoinsMax + 1;
    const sql::Resume resume{.position = position,
                             .item = most,
                             .rows_done = 0,
                             .passed = most,
                             .given = most,
                             .place = std::vector<std::uint64_t>(kLevels, 2 * 1024 * 1024)};
    const model::EpkRange epks{std::string(48, 'a'), std::string(48, 'b')};
    const ItemContinuation inside{.selected = epks,
                                  .parts = {{.epks = epks, .resume = resume.encode()}}};
    const RangeContinuation token{.token = kSigner.sign_payload(inside.encode(), "scope"),
                                  .epks = epks};
    EXPECT_LE(token.to_json().size(), 1024U);
    EXPECT_TRUE(RangeContinuation::parse(token.to_json()));
}

}  // namespace continuation_test
}  // namespace orrery::service
