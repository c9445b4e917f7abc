// A cluster of many members in one process, with a simulated clock and shared objects in memory:
// what membership and assignment cost, and what moves when nodes come and go. The members are the
// server's; only the storage of partitions is left out. bench/cluster_simulation.py runs it.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/monotonic_clock.h"
#include "base/random.h"
#include "base/stopwatch.h"
#include "cluster/member.h"
#include "cluster/placement.h"
#include "storage/memory/memory_objects.h"

namespace orrery::bench {

namespace {

using cluster::PartitionId;
using storage::SharedObjects;

constexpr std::chrono::milliseconds kTick{500};
constexpr int kTicksPerRenewal = 5;
constexpr int kTicksToPrepare = 2;  // from the start of a move until it is handed over
constexpr std::uint32_t kNobody = UINT32_MAX;

struct Traffic {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t notifications = 0;
    std::uint64_t bytes = 0;

    std::uint64_t messages() const { return reads + writes + notifications; }
    Traffic since(const Traffic& before) const {
        return {reads - before.reads,
                writes - before.writes,
                notifications - before.notifications,
                bytes - before.bytes};
    }
};

// Counts what passes.
class CountedObjects final : public SharedObjects {
public:
    Result<std::optional<Value>> read(std::string_view name) override {
        auto value = objects_.read(name);
        ++traffic.reads;
        if (value && *value) traffic.bytes += (*value)->bytes.size();
        return value;
    }
    Result<Version> write(std::string_view name,
                          std::string_view bytes,
                          Version expected) override {
        ++traffic.writes;
        traffic.bytes += bytes.size();
        auto version = objects_.write(name, bytes, expected);
        if (version) sizes_.insert_or_assign(std::string(name), bytes.size());
        return version;
    }
    Status remove(std::string_view name, Version expected) override {
        ++traffic.writes;
        sizes_.erase(std::string(name));
        return objects_.remove(name, expected);
    }
    Result<std::vector<std::string>> list(std::string_view prefix) override {
        ++traffic.reads;
        return objects_.list(prefix);
    }
    Result<Watch> watch(std::string_view name, std::function<void()> on_notify) override {
        return objects_.watch(name, std::move(on_notify));
    }
    Status notify(std::string_view) override {
        ++traffic.notifications;
        return {};
    }

    // Bytes by kind of object: the name up to the slash.
    std::map<std::string, std::uint64_t> metadata() const {
        std::map<std::string, std::uint64_t> out;
        for (const auto& [name, size] : sizes_)
            out[name.substr(0, name.find('/'))] += size;
        return out;
    }

    Traffic traffic;

private:
    storage::MemoryObjects objects_;
    std::map<std::string, std::size_t> sizes_;
};

// Who has each partition, in place of the storage.
struct Holders {
    std::vector<std::uint32_t> holder;
    std::vector<std::uint32_t> last;
    std::vector<double> load;
    std::size_t unserved = 0;
    std::uint64_t changes = 0;
};

class Host final : public cluster::PartitionHost {
public:
    Host(std::uint32_t node, Holders& holders) : node_(node), holders_(holders) {}

    void assigned(std::span<const PartitionId> partitions) override {
        wanted_.insert(wanted_.end(), partitions.begin(), partitions.end());
    }
    void moving(std::span<const PartitionId> partitions) override {
        for (const PartitionId partition : partitions)
            moving_.emplace_back(partition, kTicksToPrepare);
    }
    void revoked(std::span<const PartitionId> partitions) override {
        revoked_.insert(revoked_.end(), partitions.begin(), partitions.end());
    }
    void lost() override {}
    std::vector<cluster::PartitionLoad> loads() override {
        std::vector<cluster::PartitionLoad> out;
        for (PartitionId partition = 0; partition < holders_.holder.size(); ++partition) {
            if (holders_.holder[partition] == node_)
                out.push_back({partition, holders_.load[partition], 0});
        }
        return out;
    }

    void step(cluster::Member& member) {
        for (const PartitionId partition : std::exchange(revoked_, {})) {
            if (holders_.holder[partition] == node_) {
                holders_.holder[partition] = kNobody;
                ++holders_.unserved;
            }
            member.released(partition);
        }
        std::vector<PartitionId> ready;
        std::erase_if(moving_, [&](auto& move) {
            if (--move.second > 0) return false;
            ready.push_back(move.first);
            return true;
        });
        if (!ready.empty()) static_cast<void>(member.hand_over(ready));
        std::erase_if(wanted_, [&](PartitionId partition) {
            if (holders_.holder[partition] != kNobody) return false;
            holders_.holder[partition] = node_;
            --holders_.unserved;
            if (holders_.last[partition] != node_) ++holders_.changes;
            holders_.last[partition] = node_;
            member.acquired(partition);
            return true;
        });
    }

private:
    const std::uint32_t node_;
    Holders& holders_;
    std::vector<PartitionId> wanted_;
    std::vector<PartitionId> revoked_;
    std::vector<std::pair<PartitionId, int>> moving_;
};

class Simulation {
public:
    Simulation(std::uint32_t nodes, PartitionId partitions) {
        holders_.holder.assign(partitions, kNobody);
        holders_.last.assign(partitions, kNobody);
        holders_.unserved = partitions;
        std::mt19937 random(1);
        std::lognormal_distribution<double> load(3, 1);
        for (PartitionId i = 0; i < partitions; ++i)
            holders_.load.push_back(load(random));
        for (std::uint32_t i = 0; i < nodes; ++i)
            add_node();
    }

    std::uint32_t add_node() {
        const auto number = static_cast<std::uint32_t>(nodes_.size());
        auto node = std::make_unique<Node>();
        node->random = std::make_unique<SeededRandom>(number + 1);
        node->host = std::make_unique<Host>(number, holders_);
        cluster::MemberOptions options;
        options.name = fmt::format("node{:04}", number);
        options.url = fmt::format("https://{}.example.com:8081/", options.name);
        options.node_url = fmt::format("https://{}.example.com:8082/", options.name);
        options.threads = 0;
        node->member = std::make_unique<cluster::Member>(
            options, objects_, clock_, wall_clock_, *node->random, *node->host);
        const auto joined = node->member->join_once();
        if (!joined || !*joined) fmt::print(stderr, "node {} cannot join\n", number);
        nodes_.push_back(std::move(node));
        return number;
    }

    // Appends the partitions that it had.
    void kill(std::uint32_t number, std::vector<PartitionId>& lost) {
        nodes_[number]->member.reset();
        for (PartitionId partition = 0; partition < holders_.holder.size(); ++partition) {
            if (holders_.holder[partition] != number) continue;
            holders_.holder[partition] = kNobody;
            ++holders_.unserved;
            lost.push_back(partition);
        }
    }

    void tick() {
        clock_.advance(kTick);
        ++ticks_;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            Node& node = *nodes_[i];
            if (!node.member) continue;
            if ((ticks_ + i) % kTicksPerRenewal == 0) node.member->renew_once();
            const Traffic before = objects_.traffic;
            const Timer timer;
            node.member->coordinate_once();
            if (node.member->is_coordinator()) {
                coordination_time_ += timer.elapsed();
                coordination_ += objects_.traffic.since(before).messages();
            }
            node.member->follow_once();
            node.host->step(*node.member);
        }
    }

    // The time until all partitions are served and nothing moves; nothing if it takes too long.
    std::optional<double> settle(int ticks_max = 4000) {
        std::uint64_t changes = holders_.changes;
        int calm = 0;
        for (int i = 1; i <= ticks_max; ++i) {
            tick();
            const bool moved = std::exchange(changes, holders_.changes) != holders_.changes;
            calm = moved || holders_.unserved > 0 ? 0 : calm + 1;
            if (calm == kCalmTicks) return seconds(i - kCalmTicks);
        }
        return std::nullopt;
    }
    // Until each has been served once; some may be moving again by then.
    double seconds_until_served(std::vector<PartitionId> partitions) {
        int i = 0;
        const auto forget_served = [&] {
            std::erase_if(partitions, [this](PartitionId partition) {
                return holders_.holder[partition] != kNobody;
            });
        };
        for (forget_served(); !partitions.empty() && i < 4000; ++i) {
            tick();
            forget_served();
        }
        return seconds(i);
    }

    static double seconds(int ticks) {
        return std::chrono::duration<double>(ticks * kTick).count();
    }

    cluster::Member& coordinator() {
        for (const auto& node : nodes_) {
            if (node->member && node->member->is_coordinator()) return *node->member;
        }
        return *nodes_.front()->member;
    }

    void report();

private:
    // Loads are reported every 10 s and read every 10 s.
    static constexpr int kCalmTicks = 60;

    struct Node {
        std::unique_ptr<SeededRandom> random;
        std::unique_ptr<Host> host;
        std::unique_ptr<cluster::Member> member;
    };

    void report_placement();
    void report_steady_state();
    void report_loss(std::string_view name, std::uint32_t count);
    void report_join();
    double spread_of_load() const;
    std::size_t partitions_of(std::uint32_t node) const {
        return static_cast<std::size_t>(
            std::count(holders_.holder.begin(), holders_.holder.end(), node));
    }

    CountedObjects objects_;
    ManualMonotonicClock clock_;
    ManualClock wall_clock_{std::chrono::seconds(1'700'000'000)};
    Holders holders_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::uint64_t ticks_ = 0;
    std::uint64_t coordination_ = 0;  // messages
    std::chrono::nanoseconds coordination_time_{};
};

// The highest load of a node, relative to the average.
double Simulation::spread_of_load() const {
    std::vector<double> loads(nodes_.size());
    double sum = 0;
    double live = 0;
    for (PartitionId i = 0; i < holders_.holder.size(); ++i) {
        if (holders_.holder[i] == kNobody) continue;
        loads[holders_.holder[i]] += holders_.load[i];
        sum += holders_.load[i];
    }
    for (const auto& node : nodes_)
        live += node->member ? 1 : 0;
    return *std::max_element(loads.begin(), loads.end()) / (sum / live);
}

// Of all partitions on empty nodes, with their loads: what the coordinator computes at most.
void Simulation::report_placement() {
    std::vector<cluster::PlacementNode> nodes(nodes_.size());
    std::vector<cluster::PlacedPartition> partitions(holders_.load.size());
    for (PartitionId i = 0; i < partitions.size(); ++i)
        partitions[i] = {.partition = i, .load = holders_.load[i]};
    const Timer timer;
    const auto changes = cluster::plan_placement(nodes, partitions, {});
    fmt::print("\"plan_ms\": {:.1f}, \"planned\": {}, ",
               std::chrono::duration<double, std::milli>(timer.elapsed()).count(),
               changes.size());
}

void Simulation::report_steady_state() {
    const Traffic before = objects_.traffic;
    const std::uint64_t coordination_before = coordination_;
    const auto time_before = coordination_time_;
    const std::uint64_t changes_before = holders_.changes;
    constexpr int kTicks = 120;
    for (int i = 0; i < kTicks; ++i)
        tick();
    const double time = seconds(kTicks);
    const Traffic traffic = objects_.traffic.since(before);
    fmt::print(
        "\"messages_per_s\": {:.1f}, \"reads_per_s\": {:.1f}, \"writes_per_s\": {:.1f}, "
        "\"bytes_per_s\": {:.0f}, \"coordinator_messages_per_s\": {:.1f}, "
        "\"coordinator_cpu\": {:.4f}, \"steady_moves\": {}, ",
        static_cast<double>(traffic.messages()) / time,
        static_cast<double>(traffic.reads) / time,
        static_cast<double>(traffic.writes) / time,
        static_cast<double>(traffic.bytes) / time,
        static_cast<double>(coordination_ - coordination_before) / time,
        std::chrono::duration<double>(coordination_time_ - time_before).count() / time,
        holders_.changes - changes_before);
}

void Simulation::report_loss(std::string_view name, std::uint32_t count) {
    const std::uint64_t changes_before = holders_.changes;
    const Traffic before = objects_.traffic;
    std::vector<PartitionId> lost;
    std::uint32_t killed = 0;
    for (auto i = static_cast<std::uint32_t>(nodes_.size()); killed < count; --i) {
        const Node& node = *nodes_[i - 1];
        if (!node.member || node.member->is_coordinator()) continue;
        kill(i - 1, lost);
        ++killed;
    }
    const double served = seconds_until_served(lost);
    const std::uint64_t taken = holders_.changes - changes_before;
    const Traffic traffic = objects_.traffic.since(before);
    const auto settled = settle();
    fmt::print(
        "\"{0}_partitions\": {1}, \"{0}_served_s\": {2}, \"{0}_taken\": {3}, "
        "\"{0}_messages\": {4}, \"{0}_later_moves\": {5}, \"{0}_settled\": {6}, ",
        name,
        lost.size(),
        served,
        taken,
        traffic.messages(),
        holders_.changes - changes_before - taken,
        settled.has_value());
}

void Simulation::report_join() {
    const std::uint64_t changes_before = holders_.changes;
    const std::uint32_t joined = add_node();
    const std::size_t live = static_cast<std::size_t>(std::count_if(
        nodes_.begin(), nodes_.end(), [](const auto& node) { return node->member != nullptr; }));
    std::string curve;
    int calm = 0;
    std::uint64_t changes = holders_.changes;
    int settled = 0;
    for (int i = 0; i < 4000 && calm < kCalmTicks; ++i) {
        if (i % 10 == 0) {
            fmt::format_to(std::back_inserter(curve),
                           "{}[{}, {}]",
                           curve.empty() ? "" : ", ",
                           seconds(i),
                           partitions_of(joined));
        }
        tick();
        const bool moved = std::exchange(changes, holders_.changes) != holders_.changes;
        calm = moved ? 0 : calm + 1;
        if (moved) settled = i;
    }
    fmt::print(
        "\"join_moves\": {}, \"join_share\": {:.1f}, \"join_got\": {}, \"join_s\": {}, "
        "\"join_curve\": [{}], ",
        holders_.changes - changes_before,
        static_cast<double>(holders_.holder.size()) / static_cast<double>(live),
        partitions_of(joined),
        seconds(settled),
        curve);
}

void Simulation::report() {
    fmt::print("{{\"nodes\": {}, \"partitions\": {}, ", nodes_.size(), holders_.holder.size());
    report_placement();
    for (int i = 0; i < 4; ++i)
        tick();
    std::vector<PartitionId> partitions;
    for (PartitionId i = 1; i < holders_.holder.size(); ++i)
        partitions.push_back(i);
    const Timer timer;
    const Status placed = coordinator().place(partitions);
    fmt::print("\"place_ms\": {:.1f}, \"place_good\": {}, ",
               std::chrono::duration<double, std::milli>(timer.elapsed()).count(),
               placed.operator bool());
    fmt::print("\"placed_s\": {}, ", seconds_until_served(partitions));
    const std::uint64_t changes = holders_.changes;
    const auto settled = settle();
    fmt::print("\"settled_s\": {}, \"settling_moves\": {}, \"load_max\": {:.3f}, ",
               settled.value_or(-1),
               holders_.changes - changes,
               spread_of_load());
    report_steady_state();
    report_loss("loss", 1);
    if (nodes_.size() >= 10)
        report_loss("loss_of_tenth", static_cast<std::uint32_t>(nodes_.size() / 10));
    report_join();
    fmt::print("\"load_max_end\": {:.3f}, \"metadata\": {{", spread_of_load());
    std::string separator;
    for (const auto& [kind, bytes] : objects_.metadata()) {
        fmt::print("{}\"{}\": {}", separator, kind, bytes);
        separator = ", ";
    }
    fmt::print("}}}}\n");
}

}  // namespace

}  // namespace orrery::bench

int main(int argc, char** argv) {
    CLI::App app("Simulates a cluster; prints what it costs as JSON");
    std::uint32_t nodes = 10;
    orrery::cluster::PartitionId partitions = 1000;
    app.add_option("--nodes", nodes)->capture_default_str()->check(CLI::Range(2, 10'000));
    app.add_option("--partitions", partitions)->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    orrery::log::configure(orrery::log::Level::kError, orrery::log::Format::kText);
    orrery::bench::Simulation(nodes, partitions).report();
    return 0;
}
