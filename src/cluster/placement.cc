#include "cluster/placement.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

namespace orrery::cluster {

namespace {

// The nodes that may be chosen, by how full they are. Equally full ones in the order of the input,
// so that the result is always the same.
class Fills {
public:
    explicit Fills(std::span<const PlacementNode> nodes) : nodes_(nodes), fill_(nodes.size(), 0) {
        const bool any_accepts =
            std::any_of(nodes.begin(), nodes.end(), [](const auto& n) { return n.accepts; });
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            // When all nodes are draining, being served matters more.
            if (nodes[i].accepts || !any_accepts) order_.emplace(0, i);
        }
    }

    using Order = std::set<std::pair<double, std::uint32_t>>;

    const Order& order() const { return order_; }
    double operator[](std::uint32_t node) const { return fill_[node]; }
    double with(std::uint32_t node, double cost) const {
        return fill_[node] + cost / nodes_[node].weight;
    }
    void add(std::uint32_t node, double cost) {
        const bool is_choice = order_.erase({fill_[node], node}) > 0;
        fill_[node] = with(node, cost);
        if (is_choice) order_.emplace(fill_[node], node);
    }

private:
    std::span<const PlacementNode> nodes_;
    std::vector<double> fill_;
    Order order_;
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
    // Half of what a partition costs is that it exists, half its load.
    void compute_costs() {
        double load = 0;
        for (const PlacedPartition& partition : partitions_)
            load += partition.load;
        load = std::max(load, limits_.load_floor * static_cast<double>(nodes_.size()));
        const double each = 1 / static_cast<double>(std::max<std::size_t>(1, partitions_.size()));
        cost_.reserve(partitions_.size());
        for (const PlacedPartition& partition : partitions_)
            cost_.push_back(each + (load > 0 ? partition.load / load : 0));
        double weight = 0;
        for (const PlacementNode& node : nodes_)
            weight += node.accepts ? node.weight : 0;
        average_ = weight > 0 ? std::accumulate(cost_.begin(), cost_.end(), 0.0) / weight : 0;
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

    double cost_of(const PlacedPartition& partition) const {
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
            return cost_[a] > cost_[b];
        });
        for (const std::uint32_t i : orphans) {
            const std::uint32_t pin = partitions_[i].pinned_to;
            const std::uint32_t node = is_live(pin) ? pin : fills_.order().begin()->second;
            change(i, node, kNowhere);
            fills_.add(node, cost_[i]);
        }
    }

    bool may_begin_move() const { return moves_under_way_ < limits_.moves_per_cluster; }
    bool has_room(std::uint32_t node) const { return moves_[node] < limits_.moves_per_node; }

    void move(std::uint32_t index, std::uint32_t to) {
        const std::uint32_t from = partitions_[index].node;
        change(index, from, to);
        fills_.add(from, -cost_[index]);
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
            const auto to = emptiest_with_room();
            if (to) move(i, *to);
        }
    }

    std::optional<std::uint32_t> emptiest_with_room() const {
        for (const auto& [fill, node] : fills_.order()) {
            if (nodes_[node].accepts && has_room(node)) return node;
        }
        return std::nullopt;
    }

    // Moves from the fullest to the emptiest node while that helps.
    void balance() {
        std::vector<std::vector<std::uint32_t>> movable(nodes_.size());
        for (std::uint32_t i = 0; i < partitions_.size(); ++i) {
            if (is_live(partitions_[i].node) && may_move(i))
                movable[partitions_[i].node].push_back(i);
        }
        while (may_begin_move()) {
            const auto to = emptiest_with_room();
            if (!to || !move_one_to(*to, movable)) return;
        }
    }

    bool move_one_to(std::uint32_t to, std::vector<std::vector<std::uint32_t>>& movable) {
        const Fills::Order& order = fills_.order();
        for (auto from = order.rbegin(); from != order.rend(); ++from) {
            if (from->first - fills_[to] <= limits_.tolerance * average_) return false;
            if (!has_room(from->second)) continue;
            const auto best = best_move({.from = from->second, .to = to}, movable[from->second]);
            if (!best) continue;
            std::erase(movable[from->second], *best);
            move(*best, to);
            return true;
        }
        return false;
    }

    struct Direction {
        std::uint32_t from;
        std::uint32_t to;
    };

    // The partition that brings both nodes closest together; of equal ones the smallest. Nothing if
    // no move leaves the new node clearly less full than the old one was.
    std::optional<std::uint32_t> best_move(const Direction& direction,
                                           const std::vector<std::uint32_t>& movable) const {
        const double full = fills_[direction.from];
        const double margin = limits_.tolerance * average_ / 2;
        std::optional<std::uint32_t> best;
        std::pair<double, std::uint64_t> best_rank;
        for (const std::uint32_t i : movable) {
            const double after = fills_.with(direction.to, cost_[i]);
            if (after > full - margin) continue;
            const double gap = std::abs(fills_.with(direction.from, -cost_[i]) - after);
            const std::pair rank(gap, partitions_[i].bytes);
            if (!best || rank < best_rank) {
                best = i;
                best_rank = rank;
            }
        }
        return best;
    }

    const std::span<const PlacementNode> nodes_;
    std::vector<PlacedPartition> partitions_;
    const PlacementLimits limits_;
    std::vector<double> cost_;
    double average_ = 0;  // fill of a node
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
    if (fills.order().empty()) return {};
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        fills.add(i, static_cast<double>(partitions[i]));
    std::vector<std::uint32_t> out;
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(fills.order().begin()->second);
        fills.add(out.back(), 1);
    }
    return out;
}

}  // namespace orrery::cluster
