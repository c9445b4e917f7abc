// A cluster in one thread, for tests: members that share objects in memory, each with a clock and a
// connection of its own, and a model of the storage that says who owns which partition.
//
// Everything happens in steps. A connection may let other nodes take steps while a call is on its
// way, fail it, or leave its outcome unknown, so all interleavings of the members' calls can occur.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/monotonic_clock.h"
#include "base/random.h"
#include "cluster/member.h"
#include "storage/memory/memory_objects.h"

namespace orrery::cluster::test {

using storage::SharedObjects;

constexpr std::chrono::milliseconds kLease{1000};

inline Error unknown_outcome() { return Error(ErrorCode::kTimeout, "lost on the way"); }

// One node's view of the shared objects.
class Connection final : public SharedObjects {
public:
    enum class Fate : std::uint8_t {
        kGood,
        kNotApplied,    // fails before it reaches the objects
        kAnswerIsLost,  // is applied, but fails
        kLate,          // fails, and is applied later
    };

    explicit Connection(SharedObjects& objects) : objects_(objects) {}

    // Called around each call; the default is that nothing goes wrong.
    std::function<Fate()> fate = [] { return Fate::kGood; };
    std::function<void()> on_the_way = [] {};
    bool is_cut = false;
    std::size_t calls = 0;

    Result<std::optional<Value>> read(std::string_view name) override {
        if (!begin()) return unknown_outcome();
        auto value = objects_.read(name);
        if (!end()) return unknown_outcome();
        return value;
    }
    Result<Version> write(std::string_view name,
                          std::string_view bytes,
                          Version expected) override {
        return change<Result<Version>>(
            [this, name = std::string(name), bytes = std::string(bytes), expected] {
                return objects_.write(name, bytes, expected);
            });
    }
    Status remove(std::string_view name, Version expected) override {
        return change<Status>(
            [this, name = std::string(name), expected] { return objects_.remove(name, expected); });
    }
    Result<std::vector<std::string>> list(std::string_view prefix) override {
        if (!begin()) return unknown_outcome();
        auto names = objects_.list(prefix);
        if (!end()) return unknown_outcome();
        return names;
    }
    Result<Watch> watch(std::string_view name, std::function<void()> on_notify) override {
        return objects_.watch(name, std::move(on_notify));
    }
    Status notify(std::string_view name) override {
        if (!begin()) return unknown_outcome();
        return objects_.notify(name);
    }

    // Applies what is late.
    void deliver() {
        for (const auto& late : std::exchange(late_, {}))
            late();
    }

private:
    bool begin() {
        ++calls;
        fate_ = is_cut ? Fate::kNotApplied : fate();
        on_the_way();
        return fate_ != Fate::kNotApplied;
    }
    bool end() {
        on_the_way();
        return fate_ == Fate::kGood && !is_cut;
    }
    template <typename Outcome>
    Outcome change(std::function<Outcome()> apply) {
        if (!begin()) return unknown_outcome();
        if (fate_ == Fate::kLate) {
            late_.push_back([apply] { static_cast<void>(apply()); });
            return unknown_outcome();
        }
        Outcome outcome = apply();
        if (!end()) return unknown_outcome();
        return outcome;
    }

    SharedObjects& objects_;
    Fate fate_ = Fate::kGood;  // of the call under way
    std::vector<std::function<void()>> late_;
};

// The directories of partitions, as the storage keeps them: changed by compare-and-set.
struct Directory {
    struct Entry {
        std::string owner;
        std::uint64_t epoch = 0;
    };
    std::map<PartitionId, Entry> entries;

    bool replace(PartitionId partition, std::uint64_t expected, std::string owner, bool fences) {
        Entry& entry = entries[partition];
        if (entry.epoch != expected) return false;
        entry = {std::move(owner), fences ? expected + 1 : expected};
        return true;
    }
};

// Opens and closes partitions as the server would, but in steps.
class Host final : public PartitionHost {
public:
    Host(Directory& directory, const std::map<PartitionId, double>& load_of)
        : directory_(directory), load_of_(load_of) {}

    void assigned(std::span<const PartitionId> partitions) override {
        for (const PartitionId partition : partitions) {
            wanted.insert(partition);
            to_release.erase(partition);
        }
    }
    void moving(std::span<const PartitionId> partitions) override {
        to_hand_over.insert(partitions.begin(), partitions.end());
    }
    void revoked(std::span<const PartitionId> partitions) override {
        for (const PartitionId partition : partitions) {
            wanted.erase(partition);
            to_hand_over.erase(partition);
            to_release.insert(partition);
        }
    }
    void lost() override {
        open.clear();
        wanted.clear();
        to_hand_over.clear();
        to_release.clear();
        ++times_lost;
    }
    std::vector<PartitionLoad> loads() override {
        std::vector<PartitionLoad> out;
        for (const auto& [partition, opened] : open) {
            const auto load = load_of_.find(partition);
            out.push_back({partition, load == load_of_.end() ? 0 : load->second, 0});
        }
        return out;
    }

    bool may_serve(PartitionId partition) const {
        const auto found = open.find(partition);
        return found != open.end() && found->second.lease->held();
    }

    // What the threads of a server would do next.
    void step(
        Member& member, const std::function<void()>& on_the_way = [] {}) {
        release(member);
        if (hands_over && !to_hand_over.empty()) {
            const std::vector<PartitionId> ready(to_hand_over.begin(), to_hand_over.end());
            if (member.hand_over(ready)) to_hand_over.clear();
        }
        for (const PartitionId partition : std::set(wanted)) {
            if (!open.contains(partition)) take(member, partition, on_the_way);
        }
    }

    struct Open {
        std::shared_ptr<const Lease> lease;
        std::uint64_t epoch = 0;
    };
    std::map<PartitionId, Open> open;
    std::set<PartitionId> wanted;
    std::set<PartitionId> to_hand_over;
    std::set<PartitionId> to_release;
    std::size_t times_lost = 0;
    bool hands_over = true;  // false: never gets ready to

private:
    void release(Member& member) {
        for (const PartitionId partition : std::exchange(to_release, {})) {
            const auto found = open.find(partition);
            if (found != open.end()) {
                const Open closed = found->second;
                open.erase(found);  // before others can have it
                if (directory_.entries[partition].owner == closed.lease->owner())
                    directory_.replace(partition, closed.epoch, "", false);
            }
            member.released(partition);
        }
    }

    void take(Member& member, PartitionId partition, const std::function<void()>& on_the_way) {
        const auto lease = member.lease();
        const Directory::Entry before = directory_.entries[partition];
        if (!before.owner.empty() && before.owner != lease->owner()) {
            const auto gone = member.is_gone(*parse_owner(before.owner));
            if (!gone || !*gone) return;
        }
        on_the_way();
        if (!wanted.contains(partition)) return;
        if (!directory_.replace(partition, before.epoch, lease->owner(), true)) return;
        open.insert_or_assign(partition, Open{lease, before.epoch + 1});
        member.acquired(partition);
    }

    Directory& directory_;
    const std::map<PartitionId, double>& load_of_;
};

// One node: what survives a crash of its process, and the process.
struct Node {
    Node(std::string node_name, SharedObjects& objects, std::uint64_t seed)
        : name(std::move(node_name)), connection(objects), random(seed) {}

    const std::string name;
    ManualMonotonicClock clock;
    ManualClock wall_clock{std::chrono::seconds(1'700'000'000)};
    Connection connection;
    SeededRandom random;
    double clock_rate = 1;
    bool is_paused = false;  // as by SIGSTOP
    bool is_joined = false;

    std::unique_ptr<Host> host;
    std::unique_ptr<Member> member;  // nothing: not running
    int rounds = 0;
};

class World {
public:
    World() {
        // These tests end thousands of leases.
        static const bool kQuiet = [] {
            log::configure(log::Level::kError, log::Format::kText);
            return true;
        }();
        static_cast<void>(kQuiet);
    }

    // Creates the node if it is new, and starts its process. It joins in its next round.
    Node& start(const std::string& name) {
        auto& node = nodes[name];
        if (!node) node = std::make_unique<Node>(name, objects, nodes.size());
        node->host = std::make_unique<Host>(directory, load_of);
        node->is_joined = false;
        node->is_paused = false;
        MemberOptions options{.name = name,
                              .url = "https://" + name + ":8081/",
                              .node_url = "https://" + name + ":8082/",
                              .lease = kLease,
                              .threads = 0};
        node->member = std::make_unique<Member>(std::move(options),
                                                node->connection,
                                                node->clock,
                                                node->wall_clock,
                                                node->random,
                                                *node->host);
        return *node;
    }
    void start(std::initializer_list<const char*> names) {
        for (const char* const name : names)
            start(std::string(name));
    }

    // As by kill -9.
    void crash(const std::string& name) {
        Node& node = at(name);
        node.member.reset();
        node.host.reset();
    }

    Node& at(const std::string& name) { return *nodes.at(name); }
    Member& member(const std::string& name) { return *at(name).member; }

    void advance(std::chrono::nanoseconds time) {
        for (auto& [name, node] : nodes) {
            const double passed = static_cast<double>(time.count()) * node->clock_rate;
            node->clock.advance(std::chrono::nanoseconds(static_cast<std::int64_t>(passed)));
        }
    }

    // What a node does in a twentieth of a lease.
    void run(Node& node) {
        if (!node.member || node.is_paused) return;
        if (!node.is_joined) {
            const auto joined = node.member->join_once();
            node.is_joined = joined && *joined;
            return;
        }
        if (++node.rounds % 5 == 0) node.member->renew_once();
        node.member->coordinate_once();
        node.member->follow_once();
        node.host->step(*node.member);
    }

    void round() {
        advance(kLease / 20);
        for (auto& [name, node] : nodes)
            run(*node);
        check();
    }
    void rounds(int count) {
        for (int i = 0; i < count; ++i)
            round();
    }

    // Rounds until the condition is true; false if that takes too many.
    bool rounds_until(const std::function<bool()>& condition, int count_max = 400) {
        for (int i = 0; i < count_max; ++i) {
            if (condition()) return true;
            round();
        }
        return condition();
    }

    // The invariant: who may answer for a partition is its newest owner, and so the only one.
    void check() const {
        for (const auto& [name, node] : nodes) {
            if (!node->host) continue;
            for (const auto& [partition, open] : node->host->open) {
                if (!open.lease->held()) continue;
                const Directory::Entry& entry = directory.entries.at(partition);
                ASSERT_TRUE(entry.epoch == open.epoch && entry.owner == open.lease->owner())
                    << name << " may answer for partition " << partition << " of " << entry.owner;
            }
        }
    }

    std::string server_of(PartitionId partition) const {
        for (const auto& [name, node] : nodes) {
            if (node->host && node->host->may_serve(partition)) return name;
        }
        return {};
    }
    bool all_are_served(PartitionId count) const {
        for (PartitionId partition = 0; partition < count; ++partition) {
            if (server_of(partition).empty()) return false;
        }
        return true;
    }
    std::map<std::string, int> served_per_node() const {
        std::map<std::string, int> out;
        for (const auto& [name, node] : nodes) {
            for (const auto& [partition, open] : node->host ? node->host->open : kNone)
                out[name] += open.lease->held() ? 1 : 0;
        }
        return out;
    }
    std::string coordinator() const {
        for (const auto& [name, node] : nodes) {
            if (node->member && node->is_joined && node->member->is_coordinator()) return name;
        }
        return {};
    }

    // Starts the nodes and places partitions 1 to count - 1 (0 is there already).
    void start_with_partitions(std::initializer_list<const char*> names, PartitionId count) {
        start(names);
        rounds(30);
        std::vector<PartitionId> partitions;
        for (PartitionId partition = 1; partition < count; ++partition)
            partitions.push_back(partition);
        ASSERT_TRUE(member(*names.begin()).place(partitions));
        ASSERT_TRUE(rounds_until([&] { return all_are_served(count); }));
    }

    storage::MemoryObjects objects;
    Directory directory;
    std::map<PartitionId, double> load_of;
    std::map<std::string, std::unique_ptr<Node>> nodes;

private:
    static inline const std::map<PartitionId, Host::Open> kNone;
};

}  // namespace orrery::cluster::test
