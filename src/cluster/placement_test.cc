#include "cluster/placement.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace orrery::cluster::placement_test {

class PlacementTest : public testing::Test {
protected:
    void add_nodes(std::size_t count) { nodes_.resize(nodes_.size() + count); }
    void add_partitions(std::size_t count, double load = 0) {
        for (std::size_t i = 0; i < count; ++i) {
            partitions_.push_back(
                {.partition = static_cast<PartitionId>(partitions_.size()), .load = load});
        }
    }

    // One plan, carried out; returns the number of changes.
    std::size_t apply(const PlacementLimits& limits = {}) {
        const auto changes = plan_placement(nodes_, partitions_, limits);
        for (const PlacementChange& change : changes) {
            partitions_[change.index].node = change.node;
            partitions_[change.index].next = change.next;
        }
        return changes.size();
    }

    // Ends all moves under way.
    std::size_t end_moves() {
        std::size_t ended = 0;
        for (PlacedPartition& partition : partitions_) {
            if (partition.next == kNowhere) continue;
            partition.node = std::exchange(partition.next, kNowhere);
            ++ended;
        }
        return ended;
    }

    // Plans and moves until nothing changes; returns the number of moves.
    std::size_t settle(const PlacementLimits& limits = {}) {
        std::size_t moves = 0;
        for (int i = 0; i < 10'000; ++i) {
            const std::size_t changes = apply(limits);
            moves += end_moves();
            if (changes == 0) return moves;
        }
        ADD_FAILURE() << "placement does not settle";
        return moves;
    }

    std::vector<std::size_t> counts() const {
        std::vector<std::size_t> out(nodes_.size());
        for (const PlacedPartition& partition : partitions_)
            ++out[partition.node];
        return out;
    }
    std::vector<double> loads() const {
        std::vector<double> out(nodes_.size());
        for (const PlacedPartition& partition : partitions_)
            out[partition.node] += partition.load;
        return out;
    }
    std::vector<std::uint32_t> places() const {
        std::vector<std::uint32_t> out;
        for (const PlacedPartition& partition : partitions_)
            out.push_back(partition.node);
        return out;
    }

    template <typename T>
    static T spread_of(const std::vector<T>& values) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        return *most - *least;
    }

    std::vector<PlacementNode> nodes_;
    std::vector<PlacedPartition> partitions_;
};

TEST_F(PlacementTest, PlacesNothingWithoutNodes) {
    add_partitions(3);
    EXPECT_EQ(apply(), 0U);
}

TEST_F(PlacementTest, PlacesAllAtOnceAndEvenly) {
    add_nodes(7);
    add_partitions(100);
    EXPECT_EQ(apply(), 100U);
    EXPECT_LE(spread_of(counts()), 1U);
    EXPECT_EQ(settle(), 0U);
}

TEST_F(PlacementTest, GivesNodesByWeight) {
    add_nodes(2);
    nodes_[1].weight = 3;
    add_partitions(100);
    apply();
    EXPECT_EQ(counts(), (std::vector<std::size_t>{25, 75}));
}

TEST_F(PlacementTest, MovesOnlyThePartitionsOfALostNode) {
    add_nodes(5);
    add_partitions(100);
    apply();
    const auto before = places();
    for (PlacedPartition& partition : partitions_) {
        if (partition.node == 4) partition.node = kGone;
    }
    nodes_.pop_back();
    EXPECT_EQ(apply(), 20U);
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_TRUE(before[i] == 4 || partitions_[i].node == before[i]);
    }
    EXPECT_EQ(counts(), (std::vector<std::size_t>{25, 25, 25, 25}));
}

TEST_F(PlacementTest, MovesToANewNodeOnlyItsShare) {
    add_nodes(4);
    add_partitions(100);
    apply();
    const auto before = places();
    add_nodes(1);
    const std::size_t moves = settle();
    EXPECT_GE(moves, 17U);  // its share, less the tolerance
    EXPECT_LE(moves, 20U);
    for (std::size_t i = 0; i < before.size(); ++i) {
        EXPECT_TRUE(partitions_[i].node == before[i] || partitions_[i].node == 4);
    }
}

TEST_F(PlacementTest, MovesFewAtATime) {
    add_nodes(4);
    add_partitions(400);
    apply();
    add_nodes(1);
    const PlacementLimits limits{.moves_per_node = 3, .moves_per_cluster = 64};
    EXPECT_EQ(apply(limits), 3U);
    EXPECT_EQ(apply(limits), 0U);  // as long as these are under way
    EXPECT_EQ(end_moves(), 3U);
    EXPECT_EQ(apply(limits), 3U);
    EXPECT_EQ(apply({.moves_per_node = 64, .moves_per_cluster = 8}), 5U);
}

TEST_F(PlacementTest, DrainsANode) {
    add_nodes(4);
    add_partitions(40);
    apply();
    nodes_[0].accepts = false;
    EXPECT_EQ(settle(), 10U);
    EXPECT_EQ(counts()[0], 0U);
    EXPECT_LE(spread_of(std::vector<std::size_t>{counts()[1], counts()[2], counts()[3]}), 1U);
    add_partitions(9);
    apply();
    EXPECT_EQ(counts()[0], 0U);
}

TEST_F(PlacementTest, KeepsPartitionsOnADrainingNodeIfThereIsNoOther) {
    add_nodes(2);
    add_partitions(2);
    apply();
    nodes_[0].accepts = nodes_[1].accepts = false;
    EXPECT_EQ(settle(), 0U);
    partitions_[0].node = kGone;
    EXPECT_EQ(apply(), 1U);
    EXPECT_LT(partitions_[0].node, 2U);
}

TEST_F(PlacementTest, SpreadsLoad) {
    add_nodes(4);
    std::mt19937 random(1);
    std::lognormal_distribution<double> load(5, 1);
    for (int i = 0; i < 200; ++i)
        add_partitions(1, load(random));
    for (PlacedPartition& partition : partitions_)
        partition.node = partition.partition % 4;
    settle();
    const auto sums = loads();
    const double average = (sums[0] + sums[1] + sums[2] + sums[3]) / 4;
    EXPECT_LT(spread_of(sums), average * 0.25);
    EXPECT_LT(spread_of(counts()), 7U);  // a tenth of 50, and one
}

TEST_F(PlacementTest, GivesANewNodeItsShareOfBothLoadAndCount) {
    add_nodes(9);
    std::mt19937 random(3);
    std::lognormal_distribution<double> load(3, 1);
    for (int i = 0; i < 1000; ++i)
        add_partitions(1, load(random));
    apply();
    settle();
    add_nodes(1);
    const std::size_t moves = settle();
    const auto sums = loads();
    double total = 0;
    for (const double sum : sums)
        total += sum;
    EXPECT_NEAR(sums[9], total / 10, total / 10 * 0.25);
    EXPECT_NEAR(static_cast<double>(counts()[9]), 100, 15);
    EXPECT_LE(moves, 120U);
}

TEST_F(PlacementTest, DoesNotMoveAHotPartitionToAndFro) {
    add_nodes(3);
    add_partitions(30, 10);
    apply();
    partitions_[0].load = 100'000;
    settle();
    const std::uint32_t hot = partitions_[0].node;
    EXPECT_EQ(settle(), 0U);
    EXPECT_EQ(partitions_[0].node, hot);
}

TEST_F(PlacementTest, MovesNothingForNoise) {
    add_nodes(10);
    std::mt19937 random(2);
    std::lognormal_distribution<double> load(4, 0.5);
    for (int i = 0; i < 500; ++i)
        add_partitions(1, load(random));
    apply();
    settle();
    std::vector<double> real;
    for (const PlacedPartition& partition : partitions_)
        real.push_back(partition.load);
    std::uniform_real_distribution<double> noise(0.8, 1.2);
    for (int round = 0; round < 50; ++round) {
        for (std::size_t i = 0; i < real.size(); ++i)
            partitions_[i].load = real[i] * noise(random);
        EXPECT_EQ(settle(), 0U) << round;
    }
}

TEST_F(PlacementTest, MovesNothingForAFewRequestsInAnIdleCluster) {
    add_nodes(3);
    add_partitions(9);
    apply();
    partitions_[4].load = 20;
    EXPECT_EQ(settle(), 0U);
}

TEST_F(PlacementTest, EndsMovesThatCannotEnd) {
    add_nodes(3);
    add_partitions(4);
    partitions_[0] = {.partition = 0, .node = 0, .next = kGone};
    partitions_[1] = {.partition = 1, .node = kGone, .next = 1};
    partitions_[2] = {.partition = 2, .node = kGone, .next = kGone};
    partitions_[3] = {.partition = 3, .node = 0, .next = 2};
    nodes_[2].accepts = false;
    const auto changes = plan_placement(nodes_, partitions_, {.may_move = false});
    ASSERT_EQ(changes.size(), 4U);
    EXPECT_EQ(changes[0], (PlacementChange{0, 0, kNowhere}));
    EXPECT_EQ(changes[1], (PlacementChange{1, 1, kNowhere}));
    EXPECT_EQ(changes[2], (PlacementChange{3, 0, kNowhere}));
    EXPECT_EQ(changes[3], (PlacementChange{2, 1, kNowhere}));
}

TEST_F(PlacementTest, MovesPinnedPartitionsToTheirNode) {
    add_nodes(3);
    add_partitions(9);
    partitions_[0].pinned_to = 2;
    apply();
    EXPECT_EQ(partitions_[0].node, 2U);
    partitions_[0].pinned_to = 1;
    apply();
    EXPECT_EQ(partitions_[0].node, 2U);
    EXPECT_EQ(partitions_[0].next, 1U);
    partitions_[0].pinned_to = 0;  // while it moves
    settle();
    EXPECT_EQ(partitions_[0].node, 0U);
    nodes_[0].accepts = false;
    settle();
    EXPECT_EQ(counts()[0], 1U);  // the pin is stronger
}

TEST(Spread, FillsTheEmptiest) {
    std::vector<PlacementNode> nodes(3);
    EXPECT_EQ(spread(nodes, {5, 0, 1}, 4), (std::vector<std::uint32_t>{1, 1, 2, 1}));
    nodes[1].accepts = false;
    EXPECT_EQ(spread(nodes, {5, 0, 1}, 1), (std::vector<std::uint32_t>{2}));
    EXPECT_TRUE(spread({}, {}, 1).empty());
}

}  // namespace orrery::cluster::placement_test
