// Random schedules with faults: nodes crash, restart, pause and lose their connection, calls fail,
// arrive late or take long, while partitions are placed, moved and removed. At every moment only
// the newest owner of a partition may answer for it, and when the faults end, everything is served.

#include <array>

#include <gtest/gtest.h>

#include "cluster/world_test_support.h"

namespace orrery::cluster::protocol_test {

using test::Connection;
using test::kLease;
using test::Node;
using test::World;

constexpr std::array kNames = {"a", "b", "c", "d", "e"};
constexpr PartitionId kPartitions = 16;
constexpr int kActions = 8000;  // about 30 leases
// One thread plays all nodes. ThreadSanitizer would take a node that goes on within the call of
// another one for a thread that locks both.
#ifdef __SANITIZE_THREAD__
constexpr int kNestedMax = 0;
#else
constexpr int kNestedMax = 2;
#endif

class Schedule {
public:
    explicit Schedule(unsigned seed) : random_(seed) {
        for (const char* const name : kNames) {
            Node& node = world_.start(std::string(name));
            // Clocks that go wrong by less than the bound.
            node.clock_rate = std::uniform_real_distribution<double>(0.98, 1.02)(random_);
            node.connection.fate = [this] { return fate(); };
            node.connection.on_the_way = [this] { something_else(); };
        }
    }

    void run() {
        for (int i = 0; i < kActions && !testing::Test::HasFailure(); ++i)
            act();
    }

    void heal() {
        faults_ = false;
        for (const char* const name : kNames) {
            Node& node = world_.at(name);
            node.connection.is_cut = false;
            node.is_paused = false;
            node.connection.deliver();
            if (!node.member) world_.start(std::string(name));
        }
    }

    bool is_healthy() {
        for (const PartitionId partition : placed_) {
            const std::string server = world_.server_of(partition);
            if (server.empty()) return false;
            for (const char* const name : kNames) {
                Node& node = world_.at(name);
                if (!node.is_joined) return false;
                const auto owner = node.member->routing().owner_of(partition);
                if (!owner || owner->identity.node != server) return false;
            }
        }
        return true;
    }

    World& world() { return world_; }

private:
    bool chance(int of_thousand) {
        return std::uniform_int_distribution<int>(0, 999)(random_) < of_thousand;
    }
    template <typename T>
    const T& one_of(const std::vector<T>& choices) {
        return choices[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random_)];
    }
    Node& some_node() {
        return world_.at(
            kNames[std::uniform_int_distribution<std::size_t>(0, kNames.size() - 1)(random_)]);
    }

    Connection::Fate fate() {
        if (!faults_ || !chance(10)) return Connection::Fate::kGood;
        return one_of(std::vector{Connection::Fate::kNotApplied,
                                  Connection::Fate::kAnswerIsLost,
                                  Connection::Fate::kLate});
    }

    // While a call is on its way: time passes, and other nodes go on.
    void something_else() {
        if (!faults_ || nested_ >= kNestedMax || !chance(50)) return;
        ++nested_;
        world_.advance(chance(5) ? kLease : chance(50) ? kLease / 4 : kLease / 300);
        step(some_node());
        world_.check();
        --nested_;
    }

    // One step of one of a node's threads. A node that waits for a call takes no other step here.
    void step(Node& node) {
        if (!node.member || node.is_paused || !busy_.insert(node.name).second) return;
        switch (std::uniform_int_distribution<int>(0, 5)(random_)) {
            case 0:
            case 1:
                if (node.is_joined) node.member->renew_once();
                break;
            case 2:
                if (node.is_joined) node.member->coordinate_once();
                break;
            case 3:
                if (node.is_joined) node.member->follow_once();
                break;
            default:
                if (node.is_joined) {
                    node.host->step(*node.member, [this] { something_else(); });
                } else {
                    const auto joined = node.member->join_once();
                    node.is_joined = joined && *joined;
                }
        }
        busy_.erase(node.name);
    }

    void act() {
        world_.advance(kLease / 300);
        step(some_node());
        some_node().connection.deliver();
        if (chance(6)) disturb(some_node());
        if (chance(20)) operate(some_node());
        world_.check();
    }

    void disturb(Node& node) {
        switch (std::uniform_int_distribution<int>(0, 4)(random_)) {
            case 0:
                if (node.member) {
                    world_.crash(node.name);
                } else {
                    world_.start(node.name);
                }
                break;
            case 1:
                node.is_paused = !node.is_paused;
                break;
            case 2:
                node.connection.is_cut = !node.connection.is_cut;
                break;
            case 3:
                world_.advance(kLease / 4);
                break;
            default:
                node.is_paused = node.connection.is_cut = false;
        }
    }

    void operate(Node& node) {
        if (!node.is_joined || !node.member || node.is_paused) return;
        busy_.insert(node.name);
        const auto partition = static_cast<PartitionId>(
            std::uniform_int_distribution<PartitionId>(1, kPartitions - 1)(random_));
        const std::array list = {partition};
        switch (std::uniform_int_distribution<int>(0, 5)(random_)) {
            case 0:
                // Whether it took effect is not known if it fails; it has to in the end.
                if (node.member->remove(list)) placed_.erase(partition);
                break;
            case 1:
                static_cast<void>(node.member->drain(some_node().name, chance(400)));
                break;
            case 2:
                world_.load_of[partition] = chance(500) ? 5000 : 0;
                break;
            default:
                if (node.member->place(list, chance(500) ? some_node().name : ""))
                    placed_.insert(partition);
        }
        busy_.erase(node.name);
    }

    std::mt19937 random_;
    World world_;
    bool faults_ = true;
    int nested_ = 0;
    std::set<std::string> busy_;
    std::set<PartitionId> placed_ = {kCatalogPartition};
};

class Protocol : public testing::TestWithParam<unsigned> {};

TEST_P(Protocol, HasOneOwnerAndRecovers) {
    Schedule schedule(GetParam());
    schedule.run();
    ASSERT_FALSE(HasFailure());
    schedule.heal();
    EXPECT_TRUE(schedule.world().rounds_until([&] { return schedule.is_healthy(); }));
    ASSERT_FALSE(HasFailure());
    // And it stays so: nothing moves without a reason for long.
    schedule.world().rounds(400);
    const auto settled = schedule.world().directory.entries;
    schedule.world().rounds(100);
    EXPECT_TRUE(schedule.is_healthy());
    for (const auto& [partition, entry] : schedule.world().directory.entries)
        EXPECT_EQ(entry.epoch, settled.at(partition).epoch) << partition;
}

INSTANTIATE_TEST_SUITE_P(Seeds, Protocol, testing::Range(0U, 60U));

}  // namespace orrery::cluster::protocol_test
