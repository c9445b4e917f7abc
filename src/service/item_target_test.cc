#include "service/item_target.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace item_target_test {

using model::PartitionKeyValue;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::must;
using testing_support::parsed;
using testing_support::ServiceTest;

class ItemTargetTest : public ServiceTest {
protected:
    static Request with_key(std::string_view key) {
        Request request;
        request.partition_key = key;
        return request;
    }
    static std::string key(const std::string& header, const catalog::Container& container) {
        const auto value = partition_key_of(with_key(header), container);
        if (!value) return code_of(value);
        return *value ? (*value)->to_json() : "none";
    }
    static std::string required(const std::string& header, const catalog::Container& container) {
        const auto value = required_partition_key(with_key(header), container);
        return value ? value->to_json() : code_of(value);
    }
    catalog::ContainerPtr system_key_container() {
        const auto definition = must(model::parse_container_definition(
            parsed(R"({"id":"old"})"), {.partition_key_required = false}));
        const auto database = must(services_.catalog->create_database("e", std::nullopt));
        return must(services_.catalog->create_container(
            database->rid,
            {.definition = definition, .throughput = std::nullopt, .partition_count = 1}));
    }

    catalog::ContainerPtr one_ = services_.container(R"({"id":"one"})", 7);
    catalog::ContainerPtr three_ = services_.container(
        R"({"id":"three","partitionKey":{"paths":["/a","/b","/c"],"kind":"MultiHash","version":2}})");
};

TEST_F(ItemTargetTest, ParsesThePartitionKeyHeader) {
    EXPECT_EQ(key("[\"a\"]", *one_), "[\"a\"]");
    EXPECT_EQ(key("[null]", *one_), "[null]");
    EXPECT_EQ(key("[{}]", *one_), "[{}]");
    EXPECT_EQ(key("[\"a\",1]", *three_), "[\"a\",1]");
    EXPECT_FALSE(must(partition_key_of({}, *one_)));
}

TEST_F(ItemTargetTest, RefusesBadHeaders) {
    for (const char* header : {"", "a", "\"a\"", "[\"a\"", "[[1]]"}) {
        EXPECT_EQ(key(header, *one_), "400") << header;
    }
    EXPECT_EQ(key("[]", *one_), "400/1001");
    EXPECT_EQ(key("[\"a\",\"b\"]", *one_), "400/1001");
    EXPECT_EQ(key("[1,2,3,4]", *three_), "400");
    EXPECT_EQ(key("[]", *three_), "400/1001");
}

TEST_F(ItemTargetTest, PointOperationsRequireAllComponents) {
    EXPECT_EQ(required("[\"a\"]", *one_), "[\"a\"]");
    EXPECT_EQ(code_of(required_partition_key({}, *one_)), "400");
    EXPECT_EQ(required("[1,2,3]", *three_), "[1,2,3]");
    EXPECT_EQ(required("[1,2]", *three_), "400/1001");
    EXPECT_EQ(required("[1]", *three_), "400/1001");
}

TEST_F(ItemTargetTest, WithoutPartitionKeyEverySpellingMeansNone) {
    const auto old = system_key_container();
    EXPECT_TRUE(must(partition_key_of({}, *old))->empty());
    EXPECT_EQ(key("[]", *old), "[]");
    EXPECT_EQ(key("[{}]", *old), "[]");
    EXPECT_EQ(key("[\"a\"]", *old), "[\"a\"]");
    EXPECT_TRUE(must(required_partition_key({}, *old)).empty());
}

TEST_F(ItemTargetTest, RoutesAKeyToTheRangeOfItsHash) {
    std::set<std::uint32_t> used;
    for (int i = 0; i < 200; ++i) {
        const PartitionKeyValue value{"key " + std::to_string(i)};
        const ItemTarget target = must(route(*services_.partitions, {}, *one_, value));
        const std::size_t range = one_->range_of(target.epk);
        EXPECT_EQ(target.partition->identity().range_id, one_->ranges[range].id);
        EXPECT_EQ(target.partition->identity().storage_id, one_->ranges[range].partition);
        EXPECT_EQ(target.partition->identity().container, one_->rid);
        EXPECT_GE(target.epk, one_->ranges[range].epks.min_inclusive);
        EXPECT_LT(target.epk, one_->ranges[range].epks.max_exclusive);
        EXPECT_EQ(target.partition_key, value.encode());
        used.insert(target.partition->identity().range_id);
    }
    EXPECT_EQ(used.size(), 7U);
}

TEST_F(ItemTargetTest, IntendedContainerMustMatch) {
    Request request;
    EXPECT_TRUE(check_intended_container(request, *one_));
    request.intended_container_rid = "";
    EXPECT_TRUE(check_intended_container(request, *one_));
    const std::string rid = one_->rid.text();
    request.intended_container_rid = rid;
    EXPECT_TRUE(check_intended_container(request, *one_));
    EXPECT_EQ(code_of(check_intended_container(request, *three_)), "400/1024");
}

}  // namespace item_target_test
}  // namespace orrery::service
