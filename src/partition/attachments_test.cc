#include "partition/attachments.h"

#include <string>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "partition/expiry.h"
#include "partition/key_delete_tasks.h"
#include "partition/test_support.h"

namespace orrery::partition {
namespace attachments_test {

using testing_support::expect_sound;
using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;
using testing_support::run;

model::AttachmentBody link(const std::string& id, const std::string& media = "elsewhere") {
    return must(model::parse_attachment_body(
        R"({"id":")" + id + R"(","contentType":"text/plain","media":")" + media + "\"}"));
}

model::AttachmentBody media(const std::string& id, std::string bytes) {
    return must(model::media_attachment(id, "text/plain", std::move(bytes)));
}

class AttachmentsTest : public testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(bench_.create(item("1", "a"))); }
    void TearDown() override { expect_sound(bench_.store()); }

    ItemRef owner(const std::string& id = "1") const { return bench_.container.ref({"a"}, id); }
    WriteRules rules() const { return bench_.container.rules(); }

    // The error's code if it fails.
    std::optional<ErrorCode> write(const std::function<Status(ItemWriter&)>& change) {
        const Status outcome = run(*bench_.partition, change);
        if (outcome) return std::nullopt;
        return outcome.error().code();
    }
    std::optional<ErrorCode> create(const model::AttachmentBody& body,
                                    const std::string& id = "1") {
        return write([&](ItemWriter& writer) -> Status {
            TRY(writer.create_attachment(owner(id), body, rules()));
            return {};
        });
    }
    std::optional<ErrorCode> remove(const std::string& id) {
        return write([&](ItemWriter& writer) -> Status {
            TRY(writer.remove_attachment(owner(), {.id = id, .number = {}}, rules()));
            return {};
        });
    }
    std::optional<Attachments> open(const std::string& id = "1") const {
        return must(Attachments::open(
            *bench_.partition, owner(id), bench_.container.definition.default_ttl));
    }
    std::string ids() const {
        std::string out;
        const auto attachments = open();
        for (const AttachmentEntry& entry : attachments->directory().entries)
            out += entry.id + " ";
        return out;
    }
    std::string media_of(const std::string& id) const {
        const auto attachments = open();
        return must(attachments->media(
            *attachments->directory().find({.id = id, .number = {}, .with_media = true})));
    }
    std::size_t entries() {
        std::size_t count = 0;
        for (const char letter : {'A', 'J', 'Q', 'Y'}) {
            const auto cursor = bench_.store().scan(all_of(letter), storage::Direction::kForward);
            for (; cursor->valid(); cursor->next())
                ++count;
        }
        return count;
    }

    PartitionBench bench_{R"({"defaultTtl":-1})"};
};

TEST_F(AttachmentsTest, AreStoredWithTheirItem) {
    EXPECT_EQ(create(link("a")), std::nullopt);
    EXPECT_EQ(create(media("b", "bytes")), std::nullopt);
    EXPECT_EQ(create(link("a")), ErrorCode::kConflict);
    EXPECT_EQ(create(link("a"), "2"), ErrorCode::kNotFound);
    bench_.reopen();
    EXPECT_EQ(ids(), "a b ");
    EXPECT_EQ(media_of("b"), "bytes");
    const auto attachments = open();
    const StoredItem b = must(attachments->read(*attachments->directory().find({.id = "b"})));
    const model::AttachmentRid rid{
        .item = {.container = {.database = 1, .number = 1}, .number = attachments->owner()},
        .number = 2};
    EXPECT_NE(b.json().find(R"("media":"/media/)" + rid.media_id() + "\""), std::string::npos)
        << b.json();
    EXPECT_NE(b.json().find(R"("_rid":")" + rid.text() + "\""), std::string::npos) << b.json();
    EXPECT_EQ(bench_.partition->stored_bytes() - bench_.partition->item_bytes(),
              attachments->directory().bytes());
}

TEST_F(AttachmentsTest, NumbersAreNeverReused) {
    EXPECT_EQ(create(link("a")), std::nullopt);
    EXPECT_EQ(remove("a"), std::nullopt);
    EXPECT_EQ(remove("a"), ErrorCode::kNotFound);
    EXPECT_EQ(create(link("a")), std::nullopt);
    EXPECT_EQ(open()->directory().entries.front().number, 2U);
}

TEST_F(AttachmentsTest, AnotherLinkDropsTheMedia) {
    EXPECT_EQ(create(media("a", "bytes")), std::nullopt);
    const auto number = open()->directory().entries.front().number;
    const auto replace = [&](const model::AttachmentBody& body) {
        return write([&](ItemWriter& writer) -> Status {
            TRY(writer.replace_attachment(owner(), {.id = {}, .number = number}, body, rules()));
            return {};
        });
    };
    EXPECT_EQ(replace(media("", "other")), std::nullopt);
    EXPECT_EQ(ids(), "a ");
    EXPECT_EQ(media_of("a"), "other");
    const model::AttachmentRid rid{
        .item = {.container = {.database = 1, .number = 1}, .number = open()->owner()},
        .number = number};
    EXPECT_EQ(replace(link("c", model::media_link(rid.media_id()))), std::nullopt);
    EXPECT_EQ(media_of("c"), "other");
    EXPECT_EQ(replace(link("c")), std::nullopt);
    EXPECT_FALSE(open()->directory().entries.front().media_bytes);
}

TEST_F(AttachmentsTest, FailedWriteLeavesNothing) {
    EXPECT_EQ(create(media("a", "x")), std::nullopt);
    const auto failing = [&](ItemWriter& writer) -> Status {
        TRY(writer.create_attachment(owner(), media("b", "x"), rules()));
        return Error(ErrorCode::kBadRequest, "after the write");
    };
    EXPECT_EQ(write(failing), ErrorCode::kBadRequest);
    EXPECT_EQ(ids(), "a ");
}

TEST_F(AttachmentsTest, HaveALimit) {
    const auto fill = [&](ItemWriter& writer) -> Status {
        for (std::size_t i = 0; i < model::limits::kAttachmentsMax; ++i)
            TRY(writer.create_attachment(owner(), link(std::to_string(i)), rules()));
        return {};
    };
    EXPECT_EQ(write(fill), std::nullopt);
    EXPECT_EQ(create(link("more")), ErrorCode::kForbidden);
    EXPECT_EQ(remove("7"), std::nullopt);
    EXPECT_EQ(create(link("more")), std::nullopt);
}

TEST_F(AttachmentsTest, StayWhenTheItemIsReplacedOrRenamed) {
    EXPECT_EQ(create(media("a", "bytes")), std::nullopt);
    EXPECT_EQ(write([&](ItemWriter& writer) -> Status {
                  TRY(bench_.container.replace(writer, "1", item("2", "a")));
                  return {};
              }),
              std::nullopt);
    EXPECT_FALSE(open());
    EXPECT_EQ(open("2")->directory().entries.size(), 1U);
}

TEST_F(AttachmentsTest, EndWithTheItem) {
    EXPECT_EQ(create(media("a", "bytes")), std::nullopt);
    EXPECT_EQ(create(link("b")), std::nullopt);
    ASSERT_TRUE(bench_.remove({"a"}, "1"));
    EXPECT_FALSE(open());
    EXPECT_EQ(entries(), 0U);
    // Also in one batch.
    EXPECT_EQ(write([&](ItemWriter& writer) -> Status {
                  TRY(bench_.container.create(writer, item("1", "a")));
                  TRY(writer.create_attachment(owner(), media("a", "x"), rules()));
                  TRY(bench_.container.remove(writer, {"a"}, "1"));
                  return {};
              }),
              std::nullopt);
    EXPECT_EQ(entries(), 0U);
}

TEST_F(AttachmentsTest, EndWithAnItemThatExpires) {
    ASSERT_TRUE(bench_.upsert(item("1", "a", R"(,"ttl":10)")));
    EXPECT_EQ(create(media("a", "bytes")), std::nullopt);
    bench_.clock.advance(std::chrono::seconds(10));
    EXPECT_FALSE(open());
    EXPECT_EQ(create(link("b")), ErrorCode::kNotFound);
    SweepPosition position;
    const auto expired = must(find_expired(*bench_.partition, -1, 10, position));
    wait_for<bool>([&](auto done) {
        bench_.partition->submit(make_expire_task(expired, -1, std::move(done)));
    });
    EXPECT_EQ(entries(), 0U);
}

TEST_F(AttachmentsTest, EndWithTheirPartitionKey) {
    EXPECT_EQ(create(media("a", "bytes")), std::nullopt);
    const model::PartitionKeyValue key{"a"};
    EXPECT_EQ(write([&](ItemWriter& writer) -> Status {
                  TRY(writer.delete_key(key.encode(), bench_.container.epk(key)));
                  return {};
              }),
              std::nullopt);
    EXPECT_FALSE(open());
    KeySweepPosition position;
    wait_for<bool>([&](auto done) {
        bench_.partition->submit(make_key_sweep_task(key.encode(), position, std::move(done)));
    });
    EXPECT_EQ(entries(), 0U);
}

TEST_F(AttachmentsTest, CountTowardsTheirPartitionKey) {
    bench_.key_bytes_max = 4000;
    bench_.reopen();
    EXPECT_EQ(create(media("a", std::string(2500, 'x'))), std::nullopt);
    EXPECT_EQ(create(media("b", std::string(2500, 'x'))), ErrorCode::kForbidden);
    EXPECT_EQ(remove("a"), std::nullopt);
    EXPECT_EQ(create(media("b", std::string(2500, 'x'))), std::nullopt);
    ASSERT_TRUE(bench_.remove({"a"}, "1"));
    ASSERT_TRUE(bench_.create(item("1", "a")));
    EXPECT_EQ(create(media("b", std::string(2500, 'x'))), std::nullopt);
}

}  // namespace attachments_test
}  // namespace orrery::partition
