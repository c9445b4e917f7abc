#include "service/attachments.h"

#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "service/test_support.h"
#include "throughput/charges.h"

namespace orrery::service {
namespace attachments_test {

using testing_support::Asked;
using testing_support::code_of;
using testing_support::ids_of;
using testing_support::item;
using testing_support::ItemOutcome;
using testing_support::must;
using testing_support::parsed;
using testing_support::Services;
using testing_support::ServiceTest;

class AttachmentServiceTest : public ServiceTest {
protected:
    catalog::ContainerPtr newest() const { return services_.catalog->find_container(rid_); }

    static Request under(std::string_view key_header) {
        Request request;
        request.partition_key = key_header;
        return request;
    }

    ItemOutcome attach(const std::string& id,
                       const std::string& media,
                       const ItemAddress& owner = {.id = "1", .rid = {}},
                       std::string_view key = R"(["a"])") {
        return Services::wait(under(key), [&](Context& context, const ItemCallback& done) {
            services_.attachments->create(context,
                                          *newest(),
                                          owner,
                                          must(model::media_attachment(id, "text/plain", media)),
                                          done);
        });
    }

    // The address in the media link of an attachment.
    static AttachmentAddress linked(const ItemAnswer& attachment) {
        const json::Value body = parsed(attachment.record.substr(attachment.json_offset));
        const auto rid = model::AttachmentRid::parse(body.find("_rid")->string());
        EXPECT_EQ(body.find("media")->string(), "/media/" + rid->media_id());
        return {.owner = {.id = {}, .rid = rid->item}, .id = {}, .rid = rid, .as_media = true};
    }

    void wait_for_ranges(std::size_t count) const {
        for (int i = 0; i < 1000 && newest()->ranges.size() != count; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ASSERT_EQ(newest()->ranges.size(), count);
    }

    model::ContainerRid rid_ = services_.container()->rid;
};

TEST_F(AttachmentServiceTest, MediaIsFoundWithoutAKeyAfterSplitsAndMerges) {
    std::vector<std::pair<AttachmentAddress, std::string>> made;
    const auto add = [&](int count) {
        for (int i = 0; i < count; ++i) {
            const std::string key = "key " + std::to_string(made.size());
            ASSERT_TRUE(services_.create(newest(), item("1", key)).answer);
            const ItemOutcome attached =
                attach("a", key, {.id = "1", .rid = {}}, R"([")" + key + R"("])");
            ASSERT_TRUE(attached.answer);
            made.emplace_back(linked(*attached.answer), key);
        }
    };
    const auto expect_all = [&] {
        for (const auto& [address, bytes] : made) {
            const auto read = services_.attachments->read_media(Asked(), *newest(), address);
            ASSERT_TRUE(read) << read.error().message();
            EXPECT_EQ(read->bytes, bytes);
        }
        EXPECT_EQ(services_.problems(), "");
    };
    add(30);
    expect_all();
    ASSERT_TRUE(services_.repartitioning->split(*newest(), 0, std::nullopt));
    wait_for_ranges(2);
    expect_all();
    add(30);
    ASSERT_TRUE(services_.repartitioning->split(*newest(), 1, std::nullopt));
    wait_for_ranges(3);
    expect_all();
    ASSERT_TRUE(services_.repartitioning->merge(*newest(), 4));
    wait_for_ranges(2);
    expect_all();
}

TEST_F(AttachmentServiceTest, ReadsAndWritesAreCharged) {
    ASSERT_TRUE(services_.create(newest(), item("1", "a")).answer);
    const ItemOutcome small = attach("small", "x");
    const ItemOutcome large = attach("large", std::string(100'000, 'x'));
    ASSERT_TRUE(small.answer && large.answer);
    EXPECT_GT(small.receipt.charge, throughput::kRefusedCharge);
    EXPECT_GT(large.receipt.charge, 2 * small.receipt.charge);
    Asked media;
    ASSERT_TRUE(services_.attachments->read_media(media, *newest(), linked(*large.answer)));
    EXPECT_EQ(media.context.receipt.charge, throughput::read_charge(100'000));
    Asked list(under(R"(["a"])"));
    const auto found =
        services_.attachments->list(list, *newest(), {.id = "1", .rid = {}}, nullptr);
    ASSERT_TRUE(found);
    EXPECT_EQ(ids_of(found->page), (std::vector<std::string>{"small", "large"}));
    EXPECT_GE(list.context.receipt.charge, 1);
    EXPECT_TRUE(list.context.receipt.position);
}

TEST_F(AttachmentServiceTest, WithoutANameItGetsOne) {
    ASSERT_TRUE(services_.create(newest(), item("1", "a")).answer);
    const ItemOutcome attached = attach("", "x");
    ASSERT_TRUE(attached.answer);
    const json::Value body = parsed(attached.answer->record.substr(attached.answer->json_offset));
    EXPECT_EQ(body.object().front().name, "id");
    EXPECT_EQ(body.find("id")->string().size(), 36U);
}

TEST_F(AttachmentServiceTest, WhatIsNotThereIsNotFound) {
    ASSERT_TRUE(services_.create(newest(), item("1", "a")).answer);
    const ItemOutcome attached = attach("a", "x");
    ASSERT_TRUE(attached.answer);
    AttachmentAddress address = linked(*attached.answer);
    const auto read = [&](const AttachmentAddress& wanted) {
        return code_of(services_.attachments->read_media(Asked(), *newest(), wanted));
    };
    EXPECT_EQ(read(address), "ok");
    AttachmentAddress other = address;
    ++other.rid->number;
    EXPECT_EQ(read(other), "404");
    other = address;
    ++other.rid->item.number;
    EXPECT_EQ(read(other), "404");
    other = address;
    ++other.rid->item.container.number;
    EXPECT_EQ(read(other), "404");
    EXPECT_EQ(code_of(attach("a", "x", {.id = "2", .rid = {}}).answer), "404");
    ASSERT_TRUE(services_.remove(newest(), "1", under(R"(["a"])")).answer);
    EXPECT_EQ(read(address), "404");
}

}  // namespace attachments_test
}  // namespace orrery::service
