#include "cluster/records.h"

#include <gtest/gtest.h>

namespace orrery::cluster::records_test {

// What a prefix or a changed first byte of an encoded record decodes to must be an error.
template <typename Decode>
void expect_damage_is_noticed(const std::string& bytes, Decode decode) {
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const auto cut = decode(std::string_view(bytes).substr(0, length));
        ASSERT_FALSE(cut) << length;
        EXPECT_EQ(cut.error().code(), ErrorCode::kCorrupted);
    }
    EXPECT_FALSE(decode("x" + bytes.substr(1)));
    EXPECT_FALSE(decode(bytes + "x"));
}

TEST(Identity, IsText) {
    const Identity identity{"db-1.example", 0x4d2};
    EXPECT_EQ(owner_text(identity), "db-1.example/00000000000004d2");
    EXPECT_EQ(parse_owner(owner_text(identity)), identity);
    for (const char* const text :
         {"", "/00000000000004d2", "db", "db/4d2", "db/00000000000004dg", "d b/00000000000004d2"}) {
        EXPECT_FALSE(parse_owner(text)) << text;
    }
}

TEST(Identity, ChecksNames) {
    for (const char* const name : {"a", "node-1", "10.0.0.1", "Db_2"})
        EXPECT_TRUE(check_node_name(name)) << name;
    for (const std::string& name : {std::string(),
                                    std::string("-a"),
                                    std::string("a/b"),
                                    std::string("ä"),
                                    std::string(64, 'a')}) {
        EXPECT_FALSE(check_node_name(name)) << name;
    }
}

TEST(Records, KeepTheCluster) {
    ClusterRecord record;
    record.id = "c1";
    record.secret = std::string("\0\xff secret", 9);
    record.lease = std::chrono::seconds(10);
    record.created_at = 1'700'000'000;
    const auto read = ClusterRecord::decode(record.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->secret, record.secret);
    EXPECT_EQ(read->encode(), record.encode());
    expect_damage_is_noticed(record.encode(), ClusterRecord::decode);
}

TEST(Records, RefuseALaterFormat) {
    const auto read = ClusterRecord::decode(R"({"format":2,"unknown":true})");
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code(), ErrorCode::kBadRequest);
}

TEST(Records, KeepNodes) {
    NodeRecord record;
    record.identity = {"a", 0xfedc'ba98'7654'3210};
    record.url = "https://a:8081/";
    record.node_url = "https://a:8082/";
    record.state = NodeState::kDraining;
    record.renewals = 12;
    record.started_at = 1'700'000'000;
    record.weight = 1.5;
    record.partitions = 3;
    record.load = 1e-3;
    const auto read = NodeRecord::decode(record.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->encode(), record.encode());
    EXPECT_EQ(read->identity, record.identity);
    EXPECT_EQ(read->state, NodeState::kDraining);
    EXPECT_EQ(read->load, 1e-3);
    expect_damage_is_noticed(record.encode(), NodeRecord::decode);
    EXPECT_FALSE(NodeRecord::decode("{}"));
}

TEST(Records, KeepTheCoordinatorAndMembers) {
    const CoordinatorRecord coordinator{{"a", 7}, 3};
    const auto read = CoordinatorRecord::decode(coordinator.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->holder, coordinator.holder);
    EXPECT_EQ(read->term, 3U);
    expect_damage_is_noticed(coordinator.encode(), CoordinatorRecord::decode);

    const MembersRecord members{
        3,
        9,
        {{{"a", 7}, NodeState::kAlive, "u", "n"}, {{"b", 8}, NodeState::kDraining, "v", "m"}}};
    const auto list = MembersRecord::decode(members.encode());
    ASSERT_TRUE(list);
    EXPECT_EQ(list->members, members.members);
    EXPECT_EQ(list->sequence, 9U);
    expect_damage_is_noticed(members.encode(), MembersRecord::decode);
}

TEST(Records, KeepShards) {
    ShardRecord record{2, 40, {}};
    record.add({.partition = 0xffff'ff07, .node = "b", .next = {}});
    record.add({.partition = 7, .node = "a", .next = "b"});
    record.add({.partition = 7 + 256, .node = "a", .next = {}});
    ASSERT_EQ(record.entries.front().partition, 7U);
    const auto read = ShardRecord::decode(7, record.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->entries, record.entries);
    EXPECT_EQ(read->sequence, 40U);
    expect_damage_is_noticed(record.encode(),
                             [](std::string_view bytes) { return ShardRecord::decode(7, bytes); });

    // The example in docs/storage-format.md.
    const ShardRecord example{2, 40, {{7, "a", "b"}, {263, "a", ""}}};
    EXPECT_EQ(example.encode(),
              std::string("\x01\x02\x28\x02\x01"
                          "a\x01"
                          "b\x02\x00\x01\x02\x01\x01\x00",
                          15));

    EXPECT_EQ(record.find(7)->next, "b");
    EXPECT_EQ(record.find(8), nullptr);
    record.remove(7);
    EXPECT_EQ(record.find(7), nullptr);
}

TEST(Records, KeepChangesAndLoads) {
    ChangesRecord changes;
    changes.members = 300;
    changes.shards[255] = 1'000'000;
    const auto read = ChangesRecord::decode(changes.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->members, 300U);
    EXPECT_EQ(read->shards, changes.shards);
    expect_damage_is_noticed(changes.encode(), ChangesRecord::decode);

    const LoadRecord load{5, {{3, 12.5, 100}, {300, 0, 1ULL << 40}}};
    const auto loads = LoadRecord::decode(load.encode());
    ASSERT_TRUE(loads);
    EXPECT_EQ(loads->partitions, load.partitions);
    EXPECT_EQ(loads->incarnation, 5U);
    expect_damage_is_noticed(load.encode(), LoadRecord::decode);
}

}  // namespace orrery::cluster::records_test
