#include "model/attachment.h"

#include <string>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "model/test_support.h"

namespace orrery::model {
namespace attachment_test {

using testing_support::must;
using testing_support::refusal;

TEST(Attachment, KeepsWhatTheClientSends) {
    const AttachmentBody body = must(parse_attachment_body(
        R"({"n":1.50,"id":"a","_etag":"x","contentType":"text/plain","media":"m","_rid":"x"})"));
    EXPECT_EQ(body.id, "a");
    EXPECT_EQ(body.properties.text(),
              R"({"n":1.50,"id":"a","contentType":"text/plain","media":"m"})");
    EXPECT_FALSE(body.media);
}

TEST(Attachment, RefusesBadProperties) {
    EXPECT_NE(refusal(parse_attachment_body(R"({"id":"a"})")).find("contentType; media; "),
              std::string::npos);
    for (const char* text : {"",
                             "[]",
                             "{",
                             R"({"id":1,"contentType":"text/plain","media":"m"})",
                             R"({"id":"","contentType":"text/plain","media":"m"})",
                             R"({"id":"a/b","contentType":"text/plain","media":"m"})",
                             R"({"id":"a","contentType":"junt/test","media":"m"})",
                             R"({"id":"a","contentType":"text/plain","media":null})"}) {
        EXPECT_NE(refusal(parse_attachment_body(text)), "(not refused)") << text;
    }
    const std::string large = R"({"id":"a","contentType":"text/plain","media":")" +
                              std::string(limits::kAttachmentBytesMax, 'x') + "\"}";
    refusal(parse_attachment_body(large), ErrorCode::kTooLarge);
}

TEST(Attachment, MediaHasANameAndAType) {
    const AttachmentBody body = must(media_attachment("a b", "Image/PNG", "bytes"));
    EXPECT_EQ(body.id, "a b");
    EXPECT_EQ(body.properties.text(), R"({"id":"a b","contentType":"Image/PNG"})");
    EXPECT_EQ(body.media, "bytes");
    EXPECT_EQ(must(media_attachment("", "text/plain; charset=utf-8", "")).properties.text(),
              R"({"contentType":"text/plain; charset=utf-8"})");
}

TEST(Attachment, RefusesBadMedia) {
    for (const char* type : {"", "text", "text/", "text/;x", "junt/test", "text/a\r\nb: c", "/"}) {
        EXPECT_NE(refusal(media_attachment("a", type, "x")), "(not refused)") << type;
    }
    for (const char* id : {"a/b", "a\\b", "a?", "a ", "\xff"}) {
        EXPECT_NE(refusal(media_attachment(id, "text/plain", "x")), "(not refused)") << id;
    }
    const std::string long_type = "text/" + std::string(limits::kContentTypeBytesMax, 'x');
    EXPECT_NE(refusal(media_attachment("a", long_type, "x")), "(not refused)");
    EXPECT_TRUE(media_attachment("a", "text/plain", std::string(limits::kMediaBytesMax, 'x')));
    refusal(media_attachment("a", "text/plain", std::string(limits::kMediaBytesMax + 1, 'x')),
            ErrorCode::kTooLarge);
}

}  // namespace attachment_test
}  // namespace orrery::model
