#include "cluster/placement.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace orrery::cluster {

namespace {

// How full a node is, or what a partition adds: as shares of the average node.
struct Fill {
    double count = 0;
    double load = 0;
};

// The orders in which nodes are looked at.
enum class By : std::uint8_t { kCount, kLoad, kBoth };
constexpr std::size_t kOrders = 3;

double measure(const Fill& fill, By by) {
    switch (by) {
        case By::kCount:
            return fill.count;
        case By::kLoad:
            return fill.load;
        case By::kBoth:
            return fill.count + fill.load;
    }
    return 0;
}

// The nodes that may be chosen, by how full they are. Equally full ones in the order of the input,
// so that the result is always the same.
class Fills {
public:
    explicit Fills(std::span<const PlacementNode> nodes) : nodes_(nodes), fills_(nodes.size()) {
        const bool any_accepts =
            std::any_of(nodes.begin(), nodes.end(), [](const auto& n) { return n.accepts; });
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            // When all nodes are draining, being served matters more.
            if (!nodes[i].accepts && any_accepts) continue;
            for (auto& order : orders_)
                order.emplace(0, i);
        }
    }

    using Order = std::set<std::pair<double, std::uint32_t>>;

    const Order& order(By by) const { return orders_[static_cast<std::size_t>(by)]; }
    std::uint32_t emptiest(By by) const { return order(by).begin()->second; }

    const Fill& operator[](std::uint32_t node) const { return fills_[node]; }
    // What it would be with this more, or less.
    Fill with(std::uint32_t node, const Fill& more, double sign = 1) const {
        const double weight = sign / nodes_[node].weight;
        return {fills_[node].count + more.count * weight, fills_[node].load + more.load * weight};
    }
    void add(std::uint32_t node, const Fill& more, double sign = 1) {
        const Fill before = std::exchange(fills_[node], with(node, more, sign));
        for (std::size_t i = 0; i < kOrders; ++i) {
            const By by = static_cast<By>(i);
            if (orders_[i].erase({measure(before, by), node}) > 0)
                orders_[i].emplace(measure(fills_[node], by), node);
        }
    }

private:
    std::span<const PlacementNode> nodes_;
    std::vector<Fill> fills_;
    std::array<Order, kOrders> orders_;
};

class Planner {
public:
    Planner(std::span<const PlacementNode> nodes,
            std::span<const PlacedPartition> partitions,
            const PlacementLimits& limits)
        : nodes_(nodes),
          partitions_(partitions.begin(), partitions.end()),
          limits_(limits),
          fills_(nodes),
          moves_(nodes.size(), 0),
          changed_(partitions.size(), false) {
        compute_costs();
    }

    std::vector<PlacementChange> plan() {
        if (nodes_.empty()) return {};
        end_impossible_moves();
        for (const PlacedPartition& partition : partitions_)
            count(partition);
        place_orphans();
        if (!limits_.may_move) return std::move(changes_);
        move_pinned();
        drain();
        balance();
        return std::move(changes_);
    }

private:
    void compute_costs() {
        double load = 0;
        for (const PlacedPartition& partition : partitions_)
            load += partition.load;
        load = std::max(load, limits_.load_floor * static_cast<double>(nodes_.size()));
        double weight = 0;
        for (const PlacementNode& node : nodes_)
            weight += node.accepts ? node.weight : 0;
        const double each =
            weight / static_cast<double>(std::max<std::size_t>(1, partitions_.size()));
        cost_.reserve(partitions_.size());
        for (const PlacedPartition& partition : partitions_)
            cost_.push_back({each, load > 0 ? partition.load / load * weight : 0});
    }

    bool is_live(std::uint32_t node) const { return node < nodes_.size(); }
    bool accepts(std::uint32_t node) const { return is_live(node) && nodes_[node].accepts; }

    // Where a partition will be when its move is over.
    static std::uint32_t target_of(const PlacedPartition& partition) {
        return partition.next == kNowhere ? partition.node : partition.next;
    }

    void change(std::uint32_t index, std::uint32_t node, std::uint32_t next) {
        partitions_[index].node = node;
        partitions_[index].next = next;
        changed_[index] = true;
        changes_.push_back({index, node, next});
    }

    // A move to a node that is gone or draining, and the second half of one from a node that is
    // gone.
    void end_impossible_moves() {
        for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
            const PlacedPartition& partition = partitions_[i];
            if (partition.next == kNowhere) continue;
            if (!is_live(partition.node)) {
                if (accepts(partition.next)) change(i, partition.next, kNowhere);
            } else if (!accepts(partition.next)) {
                change(i, partition.node, kNowhere);
            }
        }
    }

    void count(const PlacedPartition& partition) {
        const std::uint32_t target = target_of(partition);
        if (is_live(partition.node) && is_live(target)) {
            fills_.add(target, cost_of(partition));
            if (partition.next != kNowhere) begin_move(partition.node, partition.next);
        }
    }

    const Fill& cost_of(const PlacedPartition& partition) const {
        return cost_[static_cast<std::size_t>(&partition - partitions_.data())];
    }

    void begin_move(std::uint32_t from, std::uint32_t to) {
        ++moves_[from];
        ++moves_[to];
        ++moves_under_way_;
    }

    // The most expensive first, so that the cheap ones even out the rest.
    void place_orphans() {
        std::vector<std::uint32_t> orphans;
        for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
            if (!is_live(partitions_[i].node)) orphans.push_back(i);
        }
        std::stable_sort(orphans.begin(), orphans.end(), [this](std::uint32_t a, std::uint32_t b) {
            return measure(cost_[a], By::kBoth) > measure(cost_[b], By::kBoth);
        });
        for (const std::uint32_t i : orphans) {
            const std::uint32_t pin = partitions_[i].pinned_to;
            const std::uint32_t node = is_live(pin) ? pin : fills_.emptiest(By::kBoth);
            change(i, node, kNowhere);
            fills_.add(node, cost_[i]);
        }
    }

    bool may_begin_move() const { return moves_under_way_ < limits_.moves_per_cluster; }
    bool has_room(std::uint32_t node) const { return moves_[node] < limits_.moves_per_node; }

    void move(std::uint32_t index, std::uint32_t to) {
        const std::uint32_t from = partitions_[index].node;
        change(index, from, to);
        fills_.add(from, cost_[index], -1);
        fills_.add(to, cost_[index]);
        begin_move(from, to);
    }

    // Pins are few and wait for no limit.
    void move_pinned() {
        for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
            const PlacedPartition& partition = partitions_[i];
            if (!is_live(partition.pinned_to) || changed_[i]) continue;
            if (target_of(partition) == partition.pinned_to) continue;
            if (partition.next != kNowhere) {
                change(i, partition.node, kNowhere);  // the next plan moves it
            } else {
                move(i, partition.pinned_to);
            }
        }
    }

    bool may_move(std::uint32_t index) const {
        return partitions_[index].next == kNowhere && !changed_[index] &&
               !is_live(partitions_[index].pinned_to);
    }

    void drain() {
        for (std::uint32_t i = 0; i < partitions_.size() && may_begin_move(); ++i) {
            const std::uint32_t node = partitions_[i].node;
            if (!is_live(node) || nodes_[node].accepts || !may_move(i) || !has_room(node)) continue;
            const auto to = emptiest_with_room(By::kBoth);
            if (to) move(i, *to);
        }
    }

    std::optional<std::uint32_t> emptiest_with_room(By by) const {
        for (const auto& [fill, node] : fills_.order(by)) {
            if (nodes_[node].accepts && has_room(node)) return node;
        }
        return std::nullopt;
    }

    // Moves from the fullest to the emptiest node while that helps, first for the load.
    void balance() {
        std::vector<std::vector<std::uint32_t>> movable(nodes_.size());
        for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
            if (is_live(partitions_[i].node) && may_move(i))
                movable[partitions_[i].node].push_back(i);
        }
        for (const By by : {By::kLoad, By::kCount}) {
            while (may_begin_move()) {
                const auto to = emptiest_with_room(by);
                if (!to || !move_one_to(*to, by, movable)) break;
            }
        }
    }

    double tolerance(By by) const {
        return by == By::kLoad ? limits_.load_tolerance : limits_.count_tolerance;
    }

    bool move_one_to(std::uint32_t to, By by, std::vector<std::vector<std::uint32_t>>& movable) {
        const Fills::Order& order = fills_.order(by);
        for (auto from = order.rbegin(); from != order.rend(); ++from) {
            if (from->first - measure(fills_[to], by) <= tolerance(by)) return false;
            if (!has_room(from->second)) continue;
            const auto best = best_move(from->second, to, by, movable[from->second]);
            if (!best) continue;
            std::erase(movable[from->second], *best);
            move(*best, to);
            return true;
        }
        return false;
    }

    // The partition whose move brings the two nodes closest together in both respects; of equal
    // ones the smallest. Nothing if no move leaves the new node clearly less full than the old one
    // was, or if each would do more harm in the other respect.
    std::optional<std::uint32_t> best_move(std::uint32_t from,
                                           std::uint32_t to,
                                           By by,
                                           const std::vector<std::uint32_t>& movable) const {
        const double full = measure(fills_[from], by) - tolerance(by) / 2;
        const double before = unevenness(fills_[from], fills_[to]);
        std::optional<std::uint32_t> best;
        std::pair<double, std::uint64_t> best_rank;
        for (const std::uint32_t i : movable) {
            const Fill after = fills_.with(to, cost_[i]);
            if (measure(after, by) > full) continue;
            const double uneven = unevenness(fills_.with(from, cost_[i], -1), after);
            const std::pair rank(uneven, partitions_[i].bytes);
            if (uneven >= before || (best && rank >= best_rank)) continue;
            best = i;
            best_rank = rank;
        }
        return best;
    }

    // Every move makes the sum of squares smaller, so moves come to an end.
    static double unevenness(const Fill& a, const Fill& b) {
        return a.count * a.count + a.load * a.load + b.count * b.count + b.load * b.load;
    }

    const std::span<const PlacementNode> nodes_;
    std::vector<PlacedPartition> partitions_;
    const PlacementLimits limits_;
    std::vector<Fill> cost_;
    Fills fills_;
    std::vector<std::uint32_t> moves_;  // by node
    std::uint32_t moves_under_way_ = 0;
    std::vector<bool> changed_;
    std::vector<PlacementChange> changes_;
};

}  // namespace

std::vector<PlacementChange> plan_placement(std::span<const PlacementNode> nodes,
                                            std::span<const PlacedPartition> partitions,
                                            const PlacementLimits& limits) {
    return Planner(nodes, partitions, limits).plan();
}

std::vector<std::uint32_t> spread(std::span<const PlacementNode> nodes,
                                  std::vector<std::size_t> partitions,
                                  std::size_t count) {
    Fills fills(nodes);
    if (fills.order(By::kCount).empty()) return {};
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        fills.add(i, {.count = static_cast<double>(partitions[i])});
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(fills.emptiest(By::kCount));
        fills.add(out.back(), {.count = 1});
    }
    return out;
}

}  // namespace orrery::cluster
