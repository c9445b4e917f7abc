#include "cluster/member.h"

#include <array>
#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "cluster/world_test_support.h"

namespace orrery::cluster::member_test {

using test::kLease;
using test::Node;
using test::World;

constexpr int kRoundsPerLease = 20;

class MemberTest : public testing::Test {
protected:
    World world_;
};

TEST_F(MemberTest, TheFirstNodeMakesTheCluster) {
    world_.start("a");
    world_.rounds(3);
    Member& a = world_.member("a");
    EXPECT_TRUE(a.lease()->held());
    EXPECT_TRUE(a.is_coordinator());
    EXPECT_EQ(a.cluster().secret.size(), 32U);
    EXPECT_EQ(a.cluster().lease, kLease);
    EXPECT_EQ(world_.server_of(kCatalogPartition), "a");
    const auto owner = a.routing().owner_of(kCatalogPartition);
    ASSERT_TRUE(owner);
    EXPECT_EQ(owner->identity, a.lease()->identity());
    EXPECT_EQ(owner->url, "https://a:8081/");
    EXPECT_EQ(owner->node_url, "https://a:8082/");
}

TEST_F(MemberTest, NodesThatStartTogetherAgree) {
    world_.start({"a", "b", "c"});
    world_.rounds(30);
    EXPECT_EQ(world_.member("a").cluster().id, world_.member("b").cluster().id);
    EXPECT_EQ(world_.member("a").cluster().secret, world_.member("c").cluster().secret);
    int coordinators = 0;
    for (const char* const name : {"a", "b", "c"}) {
        coordinators += world_.member(name).is_coordinator() ? 1 : 0;
        EXPECT_EQ(world_.member(name).routing().nodes().size(), 3U) << name;
    }
    EXPECT_EQ(coordinators, 1);
}

TEST_F(MemberTest, RefusesANameThatIsInUse) {
    world_.start({"a", "b"});
    world_.rounds(10);
    Node& other = world_.start("c");
    MemberOptions options;
    options.name = "a";
    options.threads = 0;
    Member twin(options, world_.objects, other.clock, other.wall_clock, other.random, *other.host);
    std::optional<ErrorCode> refusal;
    for (int i = 0; i < 2 * kRoundsPerLease && !refusal; ++i) {
        const auto joined = twin.join_once();
        if (!joined) {
            refusal = joined.error().code();
            EXPECT_THAT(joined.error().message(), testing::HasSubstr("https://a:8082/"));
        } else {
            ASSERT_FALSE(*joined);
        }
        world_.round();
    }
    EXPECT_EQ(refusal, ErrorCode::kConflict);
    EXPECT_TRUE(world_.member("a").lease()->held());
}

TEST_F(MemberTest, RefusesNamesThatAreNone) {
    Node& node = world_.start("a b");
    const auto joined = node.member->join_once();
    ASSERT_FALSE(joined);
    EXPECT_EQ(joined.error().code(), ErrorCode::kBadRequest);
}

TEST_F(MemberTest, RestartsUnderItsNameWhenItsLeaseIsOver) {
    world_.start("a");
    world_.rounds(10);
    const Identity before = world_.member("a").lease()->identity();
    world_.crash("a");
    world_.start("a");
    world_.rounds(kRoundsPerLease - 1);
    EXPECT_FALSE(world_.at("a").is_joined);
    ASSERT_TRUE(world_.rounds_until([&] { return world_.all_are_served(1); }, 10));
    EXPECT_NE(world_.member("a").lease()->identity(), before);
    EXPECT_EQ(*world_.member("a").is_gone(before), true);
    EXPECT_EQ(*world_.member("a").is_gone(world_.member("a").lease()->identity()), false);
}

TEST_F(MemberTest, SpreadsPartitionsOverNodes) {
    world_.start_with_partitions({"a", "b", "c"}, 31);
    for (const auto& [name, count] : world_.served_per_node()) {
        EXPECT_GE(count, 10) << name;
        EXPECT_LE(count, 11) << name;
    }
    for (PartitionId partition = 0; partition < 31; ++partition) {
        for (const char* const name : {"a", "b", "c"}) {
            const auto owner = world_.member(name).routing().owner_of(partition);
            ASSERT_TRUE(owner);
            EXPECT_EQ(owner->identity.node, world_.server_of(partition));
        }
    }
    EXPECT_FALSE(world_.member("a").routing().owner_of(31));
}

TEST_F(MemberTest, PlacesOnThePreferredNodeAndOnlyOnce) {
    world_.start_with_partitions({"a", "b", "c"}, 4);
    const std::array<PartitionId, 3> children = {10, 11, 12};
    ASSERT_TRUE(world_.member("a").place(children, "b"));
    EXPECT_EQ(world_.member("a").routing().owner_of(11)->identity.node, "b");
    ASSERT_TRUE(world_.member("c").place(children, "c"));
    EXPECT_EQ(world_.member("c").routing().owner_of(11)->identity.node, "b");
    ASSERT_TRUE(world_.rounds_until([&] { return world_.server_of(12) == "b"; }));
    ASSERT_TRUE(world_.member("b").remove(children));
    ASSERT_TRUE(world_.rounds_until([&] { return world_.server_of(12).empty(); }));
    EXPECT_FALSE(world_.member("c").routing().owner_of(12));
}

TEST_F(MemberTest, RefreshesOnePartitionWithoutWaiting) {
    world_.start_with_partitions({"a", "b"}, 2);
    const std::array<PartitionId, 1> created = {77};
    ASSERT_TRUE(world_.member("a").place(created, "a"));
    EXPECT_FALSE(world_.member("b").routing().owner_of(77));
    ASSERT_TRUE(world_.member("b").refresh(77));
    EXPECT_EQ(world_.member("b").routing().owner_of(77)->identity.node, "a");
}

TEST_F(MemberTest, TakesOverWhenANodeDies) {
    world_.start_with_partitions({"a", "b", "c"}, 30);
    const std::string victim = world_.coordinator() == "b" ? "c" : "b";
    std::map<PartitionId, std::string> before;
    for (PartitionId partition = 0; partition < 30; ++partition)
        before[partition] = world_.server_of(partition);
    world_.crash(victim);
    world_.rounds(kRoundsPerLease - 5);
    EXPECT_EQ(world_.served_per_node().size(), 2U);
    for (const auto& [partition, server] : before)
        EXPECT_EQ(world_.server_of(partition), server == victim ? "" : server);
    // Within the lease and a few steps.
    ASSERT_TRUE(world_.rounds_until([&] { return world_.all_are_served(30); }, 9));
    for (const auto& [partition, server] : before) {
        if (server != victim) {
            EXPECT_EQ(world_.server_of(partition), server);
        }
    }
}

TEST_F(MemberTest, TakesOverWhenTheCoordinatorAndAnotherNodeDie) {
    world_.start_with_partitions({"a", "b", "c", "d", "e"}, 30);
    const std::string first = world_.coordinator();
    world_.crash(first);
    world_.crash(first == "e" ? "d" : "e");
    // One lease, not two: the deputies had watched the other node as well.
    ASSERT_TRUE(
        world_.rounds_until([&] { return world_.all_are_served(30); }, kRoundsPerLease + 5));
    EXPECT_NE(world_.coordinator(), first);
    EXPECT_EQ(world_.server_of(kCatalogPartition), world_.coordinator());
}

TEST_F(MemberTest, MovesOnlyItsShareToANodeThatJoins) {
    world_.start_with_partitions({"a", "b", "c"}, 60);
    std::map<PartitionId, std::uint64_t> epochs;
    for (const auto& [partition, entry] : world_.directory.entries)
        epochs[partition] = entry.epoch;
    world_.start("d");
    ASSERT_TRUE(world_.rounds_until([&] { return world_.served_per_node()["d"] >= 13; }));
    world_.rounds(50);
    EXPECT_TRUE(world_.all_are_served(60));
    EXPECT_LE(world_.served_per_node()["d"], 15);
    int moved = 0;
    for (const auto& [partition, entry] : world_.directory.entries) {
        if (entry.epoch == epochs[partition]) continue;
        ++moved;
        EXPECT_EQ(entry.epoch, epochs[partition] + 1);
        EXPECT_EQ(world_.server_of(partition), "d");
    }
    EXPECT_LE(moved, 15);
}

TEST_F(MemberTest, APlannedMoveLeavesThePartitionServedUntilItIsReady) {
    world_.start_with_partitions({"a", "b"}, 20);
    Node& a = world_.at("a");
    world_.at("b").host->hands_over = false;
    ASSERT_TRUE(world_.member("a").drain("b"));
    world_.rounds(30);
    EXPECT_FALSE(world_.at("b").host->to_hand_over.empty());
    EXPECT_TRUE(world_.all_are_served(20));
    const PartitionId moving = *world_.at("b").host->to_hand_over.begin();
    EXPECT_EQ(a.member->routing().owner_of(moving)->identity.node, "b");
    EXPECT_FALSE(a.member->describe()->moves.empty());
    world_.at("b").host->hands_over = true;
    ASSERT_TRUE(world_.rounds_until([&] { return world_.served_per_node()["b"] == 0; }));
    ASSERT_TRUE(world_.rounds_until([&] { return world_.all_are_served(20); }));
}

TEST_F(MemberTest, CancelsAMoveThatDoesNotEnd) {
    world_.start_with_partitions({"a", "b"}, 8);
    world_.at("b").host->hands_over = false;
    ASSERT_TRUE(world_.member("a").drain("b"));
    const auto cancelled = [this] {
        return world_.member("a").stats().counts.moves_cancelled +
               world_.member("b").stats().counts.moves_cancelled;
    };
    world_.rounds(59 * kRoundsPerLease);
    EXPECT_EQ(cancelled(), 0U);
    EXPECT_TRUE(world_.rounds_until([&] { return cancelled() > 0; }, 2 * kRoundsPerLease));
    EXPECT_TRUE(world_.all_are_served(8));
}

TEST_F(MemberTest, DrainsANodeAndLetsItHavePartitionsAgain) {
    world_.start_with_partitions({"a", "b", "c"}, 30);
    ASSERT_TRUE(world_.member("b").drain("a"));
    ASSERT_TRUE(world_.rounds_until([&] { return world_.served_per_node()["a"] == 0; }));
    EXPECT_NE(world_.coordinator(), "a");
    EXPECT_TRUE(world_.all_are_served(30));
    EXPECT_EQ(world_.member("b").routing().node("a")->state, NodeState::kDraining);
    const std::array<PartitionId, 1> created = {40};
    ASSERT_TRUE(world_.member("a").place(created, "a"));
    EXPECT_NE(world_.member("a").routing().owner_of(40)->identity.node, "a");
    ASSERT_TRUE(world_.member("c").drain("a", false));
    ASSERT_TRUE(world_.rounds_until([&] { return world_.served_per_node()["a"] >= 8; }));
    const auto unknown = world_.member("b").drain("x");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code(), ErrorCode::kNotFound);
}

TEST_F(MemberTest, ACutNodeStopsAnsweringBeforeOthersTakeOver) {
    world_.start_with_partitions({"a", "b", "c"}, 30);
    const std::string victim = world_.coordinator();
    world_.at(victim).connection.is_cut = true;
    bool has_stopped = false;
    for (int i = 0; i < 2 * kRoundsPerLease; ++i) {
        world_.round();
        const bool holds = world_.member(victim).lease()->held();
        EXPECT_FALSE(has_stopped && holds);
        has_stopped = has_stopped || !holds;
    }
    EXPECT_TRUE(has_stopped);
    EXPECT_TRUE(world_.all_are_served(30));
    const auto lost = world_.member(victim).lease();
    world_.at(victim).connection.is_cut = false;
    world_.rounds(10);
    EXPECT_EQ(world_.at(victim).host->times_lost, 1U);
    EXPECT_FALSE(lost->held());
    EXPECT_TRUE(world_.member(victim).lease()->held());
    EXPECT_NE(lost->identity(), world_.member(victim).lease()->identity());
    ASSERT_TRUE(world_.rounds_until([&] { return world_.served_per_node()[victim] >= 8; }));
}

TEST_F(MemberTest, ALapseThatNobodyUsedIsNoLoss) {
    world_.start_with_partitions({"a"}, 5);
    world_.at("a").connection.is_cut = true;
    world_.rounds(3 * kRoundsPerLease);
    EXPECT_FALSE(world_.member("a").lease()->held());
    world_.at("a").connection.is_cut = false;
    ASSERT_TRUE(world_.rounds_until([&] { return world_.all_are_served(5); }, 10));
    EXPECT_EQ(world_.at("a").host->times_lost, 0U);
    EXPECT_EQ(world_.member("a").stats().counts.lease_lapses, 1U);
}

TEST_F(MemberTest, APausedNodeAnswersNothingWhenItWakes) {
    world_.start_with_partitions({"a", "b", "c"}, 30);
    Node& paused = world_.at(world_.coordinator() == "c" ? "b" : "c");
    const auto held_before = paused.member->lease();
    paused.is_paused = true;
    ASSERT_TRUE(world_.rounds_until([&] { return world_.all_are_served(30); }));
    world_.rounds(2 * kRoundsPerLease);
    EXPECT_TRUE(world_.all_are_served(30));
    EXPECT_FALSE(held_before->held());
    paused.is_paused = false;
    world_.rounds(10);
    EXPECT_EQ(paused.host->times_lost, 1U);
}

TEST_F(MemberTest, CountsTheLeaseFromBeforeTheRenewalIsSent) {
    world_.start_with_partitions({"a", "b"}, 4);
    Node& a = world_.at("a");
    // The renewal arrives at once, its answer only when a whole lease has passed.
    bool is_first = true;
    a.connection.on_the_way = [&] {
        if (std::exchange(is_first, false)) return;
        world_.advance(kLease);
    };
    a.member->renew_once();
    a.connection.on_the_way = [] {};
    EXPECT_FALSE(a.member->lease()->held());
}

TEST_F(MemberTest, ReadsAgainWhenTheOutcomeOfARenewalIsUnknown) {
    world_.start_with_partitions({"a", "b"}, 4);
    Node& a = world_.at("a");
    a.connection.fate = [] { return test::Connection::Fate::kAnswerIsLost; };
    EXPECT_FALSE(a.member->renew_once());
    a.connection.fate = [] { return test::Connection::Fate::kGood; };
    EXPECT_TRUE(a.member->renew_once());
    EXPECT_EQ(a.host->times_lost, 0U);
    a.connection.fate = [] { return test::Connection::Fate::kLate; };
    EXPECT_FALSE(a.member->renew_once());
    a.connection.fate = [] { return test::Connection::Fate::kGood; };
    EXPECT_TRUE(a.member->renew_once());
    a.connection.deliver();  // finds another version
    EXPECT_TRUE(a.member->renew_once());
}

TEST_F(MemberTest, HealsAnnouncementsThatWereNotMade) {
    world_.start_with_partitions({"a", "b"}, 4);
    Node& b = world_.at("b");
    const std::array<PartitionId, 1> created = {50};
    ASSERT_TRUE(b.member->place(created, "a"));
    world_.crash("b");  // before it could announce it
    ASSERT_TRUE(world_.rounds_until([&] { return world_.server_of(50) == "a"; }));
}

TEST_F(MemberTest, DescribesTheCluster) {
    world_.start_with_partitions({"a", "b", "c"}, 12);
    world_.load_of[5] = 12.5;
    world_.rounds(11 * kRoundsPerLease);  // until loads are reported
    const auto description = world_.member(world_.coordinator()).describe();
    ASSERT_TRUE(description);
    EXPECT_EQ(description->partitions, 12U);
    EXPECT_EQ(description->coordinator.holder.node, world_.coordinator());
    ASSERT_EQ(description->nodes.size(), 3U);
    std::size_t assigned = 0;
    for (const NodeDescription& node : description->nodes) {
        assigned += node.assigned;
        EXPECT_EQ(node.record.partitions, node.assigned);
        EXPECT_EQ(node.record.state, NodeState::kAlive);
        EXPECT_EQ(node.lease_age.has_value(), node.record.identity.node != world_.coordinator());
    }
    EXPECT_EQ(assigned, 12U);
    const MemberStats stats = world_.member("a").stats();
    EXPECT_GT(stats.counts.renewals, 0U);
    EXPECT_EQ(stats.nodes, 3U);
    EXPECT_EQ(stats.partitions, 12U);
    EXPECT_EQ(stats.acquired, stats.assigned);
}

TEST_F(MemberTest, ForgetsNodesThatAreGoneForLong) {
    world_.start_with_partitions({"a", "b"}, 4);
    const std::string victim = world_.coordinator() == "a" ? "b" : "a";
    world_.crash(victim);
    world_.rounds(2 * kRoundsPerLease);
    const std::string survivor = world_.coordinator();
    EXPECT_EQ(world_.member(survivor).describe()->nodes.size(), 2U);
    for (int i = 0; i < 4500; ++i) {
        world_.advance(std::chrono::milliseconds(800));
        world_.member(survivor).renew_once();
        if (i % 100 == 0) world_.rounds(1);
    }
    world_.rounds(2);
    EXPECT_EQ(world_.member(survivor).describe()->nodes.size(), 1U);
    EXPECT_TRUE(world_.all_are_served(4));
}

}  // namespace orrery::cluster::member_test
