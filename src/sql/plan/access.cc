#include "sql/plan/access.h"

#include <algorithm>
#include <cmath>

#include "sql/errors.h"
#include "sql/plan/composite_match.h"
#include "sql/plan/estimate.h"
#include "sql/plan/positions.h"

namespace orrery::sql {

namespace {

using PathState = IndexSource::PathState;

// Up to this many items of one logical partition, sorting beats walking an index over all items.
constexpr std::size_t kSortedMembersMax = 10'000;
// At most this many matches of a filter are counted for an ORDER BY.
constexpr std::size_t kSortedMatchesMax = 4'096;

model::IndexPath index_path(const ItemPath& path) {
    model::IndexPath out;
    for (const ast::PathStep& step : path) {
        const auto* name = std::get_if<std::string>(&step);
        out.push_back({.name = name == nullptr ? "" : *name, .element = name == nullptr});
    }
    return out;
}

bool is_positional(const ItemPath& path) {
    return std::any_of(path.begin(), path.end(), [](const ast::PathStep& step) {
        return std::holds_alternative<std::uint64_t>(step);
    });
}

class Planner {
public:
    Planner(const BoundQuery& query,
            const std::vector<ItemPath>& paths,
            const Condition& condition,
            const ItemSource& source,
            Budget& budget)
        : query_(query),
          paths_(paths),
          condition_(condition),
          source_(source),
          policy_(source.policy()),
          index_(source.index()),
          budget_(budget) {}

    Result<Access> plan(std::string_view position) {
        const auto order = order_of(position);
        const bool sorted = !query_.order_by.empty() && !query_.grouped && !query_.distinct;
        if (!query_.order_by.empty() && !query_.grouped) TRY(check_order());
        if (cannot_pass(condition_)) {
            Access nothing;
            nothing.kind = Access::Kind::kNothing;
            nothing.order = sorted ? ItemOrder::kKeys : order.value_or(ItemOrder::kNumber);
            return nothing;
        }
        TRY(estimate_parts(sorted));
        if (index_ != nullptr) lists_all_ = TRY(lists_all_items());
        if (order == ItemOrder::kValue) return continue_walk(position);
        return sorted ? plan_sorted() : plan_unsorted(order);
    }

private:
    // A part of the condition and what the index can do for it.
    struct Part {
        std::size_t number = 0;
        bool usable = false;
        std::size_t estimate = 0;
    };

    static bool cannot_pass(const Condition& condition) {
        if (condition.kind == Condition::Kind::kNone) return true;
        const auto& parts = condition.parts;
        if (condition.kind == Condition::Kind::kAnd) {
            return std::any_of(parts.begin(), parts.end(), cannot_pass);
        }
        return condition.kind == Condition::Kind::kOr &&
               std::all_of(parts.begin(), parts.end(), cannot_pass);
    }

    Status estimate_parts(bool sorted) {
        if (index_ != nullptr) counted_ = count_limit(sorted);
        for (std::size_t i = 0; i < condition_.parts.size(); ++i) {
            Part part{.number = i};
            if (index_ != nullptr) {
                // Only the smallest estimate matters, so stop counting there.
                const auto few = fewest();
                const std::size_t limit = few ? few->estimate : counted_;
                const auto estimate =
                    TRY(estimate_items(condition_.parts[i], *index_, limit, budget_));
                part.usable = estimate.has_value();
                part.estimate = estimate.value_or(counted_);
            }
            parts_.push_back(part);
        }
        return {};
    }

    Result<bool> lists_all_items() const {
        const auto others = index_->unindexed();
        if (others->valid()) return false;
        TRY(others->status());
        return true;
    }

    // How far counting is worthwhile. Equalities are intersected, and parts that narrow the index
    // ORDER BY walks are used, however many items they match: then nothing is counted.
    std::size_t count_limit(bool sorted) const {
        const auto& parts = condition_.parts;
        if (!sorted) {
            const bool all_points =
                std::all_of(parts.begin(), parts.end(), [](const Condition& part) {
                    return part.kind == Condition::Kind::kAll ||
                           (part.kind == Condition::Kind::kPath && part.bounds.size() == 1 &&
                            part.reach == Condition::Reach::kPoint);
                });
            return all_points ? 0 : kEstimateMax;
        }
        if (narrows_order(parts)) return 0;
        // Sorting examines all matches; walking examines items until a page of matches is full.
        // Below this many matches, sorting is less work.
        constexpr double kPageRows = 100;
        const double even = std::sqrt(kPageRows * static_cast<double>(source_.item_count()));
        return std::clamp(static_cast<std::size_t>(even), kEstimateMax, kSortedMatchesMax);
    }

    bool narrows_order(const std::vector<Condition>& parts) const {
        const auto& orders = query_.order_by;
        if (orders.size() > 1) {
            const auto match = match_composite(orders, *policy_);
            return match && match_filter(parts, policy_->composites()[match->number]).paths() ==
                                parts.size();
        }
        const ItemPath& path = *orders.front().path;
        return !is_positional(path) &&
               std::all_of(parts.begin(), parts.end(), [&](const Condition& part) {
                   return part.kind == Condition::Kind::kPath && part.bounds.size() == 1 &&
                          part.path == index_path(path);
               });
    }

    Access plan_unsorted(std::optional<ItemOrder> order) {
        // A walk returns items in value order: a query that began in number order must keep that,
        // and within one logical partition the walk would also meet the items of all others.
        const bool may_walk = !order && source_.is_whole() && lists_all_;
        const bool gathers = query_.grouped || query_.distinct;
        if (may_walk && gathers) {
            if (auto covered = walk_covered()) return *std::move(covered);
        }
        if (auto few = fewest()) return lookup({few->number}, few->estimate);
        if (may_walk) {
            if (auto composite = walk_composite()) return *std::move(composite);
        }
        if (std::vector<std::size_t> points = parts_of(Condition::Reach::kPoint); !points.empty()) {
            return lookup(std::move(points), std::nullopt);
        }
        if (may_walk) {
            if (const auto part = walkable()) return walk(*part);
        }
        return {};
    }

    Result<Access> continue_walk(std::string_view position) const {
        const std::size_t part = TRY(parse_value_position(position))->part;
        if (part < parts_.size() && can_be_walked(part)) return walk(part);
        if (part >= parts_.size() && index_ != nullptr) {
            if (auto composite = walk_composite(part - parts_.size())) return *std::move(composite);
        }
        return Error(ErrorCode::kBadRequest,
                     "Invalid Continuation Token: the index it refers to no longer exists.");
    }

    // The query needs only one path of an item, and the index holds it.
    std::optional<Access> walk_covered() const {
        if (!has_one_path()) return std::nullopt;
        const model::IndexPath path = index_path(paths_.front());
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            if (condition_.parts[i].path == path && can_be_walked(i)) return ends_or_all(walk(i));
        }
        const bool filtered = !query_.filters.empty() || !query_.sources.empty();
        const auto entry = index_->find(path);
        if (filtered || !entry || entry->state != PathState::kListed) return std::nullopt;
        Access out;
        out.kind = Access::Kind::kWalk;
        out.order = ItemOrder::kValue;
        out.path = path;
        out.bounds = index::any_defined();
        out.covered = true;
        out.with_undefined = true;
        out.used.paths.push_back(model::to_text(path) + "/?");
        return ends_or_all(std::move(out));
    }

    // MIN and MAX of the path itself are at its ends, as are the values that make them undefined.
    Access ends_or_all(Access access) const {
        const bool exact = !access.walked || condition_.exact;
        access.ends_only = exact && query_.group_keys.empty() && !query_.aggregates.empty() &&
                           query_.sources.empty() &&
                           std::all_of(query_.aggregates.begin(),
                                       query_.aggregates.end(),
                                       [](const BoundAggregate& aggregate) {
                                           return (aggregate.kind == AggregateKind::kMin ||
                                                   aggregate.kind == AggregateKind::kMax) &&
                                                  aggregate.argument->op == Op::kPath;
                                       });
        if (access.ends_only) access.with_undefined = false;
        return access;
    }

    std::optional<Part> fewest() const {
        std::optional<Part> best;
        for (const Part& part : parts_) {
            if (!part.usable || part.estimate >= counted_) continue;
            if (!best || part.estimate < best->estimate) best = part;
        }
        return best;
    }

    std::vector<std::size_t> parts_of(Condition::Reach reach) const {
        std::vector<std::size_t> out;
        for (const Part& part : parts_) {
            if (part.usable && condition_.parts[part.number].reach == reach) {
                out.push_back(part.number);
            }
        }
        return out;
    }

    bool can_be_walked(std::size_t i) const {
        const Condition& part = condition_.parts[i];
        return part.kind == Condition::Kind::kPath && !part.in_array() && part.bounds.size() == 1 &&
               parts_[i].usable;
    }

    // The best part to walk: a range rather than all values of a path.
    std::optional<std::size_t> walkable() const {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < condition_.parts.size(); ++i) {
            const Condition& part = condition_.parts[i];
            const bool worth_it = part.reach != Condition::Reach::kWide ||
                                  part.predicate != nullptr || can_be_covered(i);
            if (!worth_it || !can_be_walked(i)) continue;
            if (!best || part.reach < condition_.parts[*best].reach) best = i;
        }
        return best;
    }

    Access walk(std::size_t part) const {
        Access out;
        out.kind = Access::Kind::kWalk;
        out.order = ItemOrder::kValue;
        out.walked = part;
        out.path = condition_.parts[part].path;
        out.bounds = condition_.parts[part].bounds.front();
        out.covered = can_be_covered(part);
        out.answers_filters = are_exact(1);
        out.used.paths.push_back(model::to_text(out.path) + "/?");
        return out;
    }

    // Equalities alone are intersected; when a range follows them, a composite index over both
    // leads directly to the items that pass.
    std::optional<Access> walk_composite() const {
        std::optional<std::size_t> best;
        std::size_t most = 1;
        const auto& composites = policy_->composites();
        for (std::size_t i = 0; i < composites.size(); ++i) {
            const CompositeFilter filter = match_filter(condition_.parts, composites[i]);
            if (!filter.range || filter.paths() <= most) continue;
            best = i;
            most = filter.paths();
        }
        return best ? walk_composite(*best) : std::nullopt;
    }

    std::optional<Access> walk_composite(std::size_t number) const {
        const auto& composites = policy_->composites();
        if (number >= composites.size()) return std::nullopt;
        const CompositeFilter filter = match_filter(condition_.parts, composites[number]);
        Access out;
        out.composite = index_->find_composite(composites[number]);
        if (!filter.range || !out.composite) return std::nullopt;
        out.kind = Access::Kind::kWalk;
        out.order = ItemOrder::kValue;
        out.walked = parts_.size() + number;
        out.bounds = filter.bounds;
        out.used.composites.push_back(names_of(composites[number]));
        return out;
    }

    bool has_one_path() const {
        return paths_.size() == 1 && !paths_.front().empty() && !is_positional(paths_.front());
    }

    // The query needs nothing of an item but this path.
    bool can_be_covered(std::size_t part) const {
        return source_.is_whole() && has_one_path() &&
               index_path(paths_.front()) == condition_.parts[part].path;
    }

    Access lookup(std::vector<std::size_t> conditions, std::optional<std::size_t> estimate) const {
        Access out;
        out.kind = Access::Kind::kLookup;
        out.order = ItemOrder::kNumber;
        for (const std::size_t part : conditions) {
            add_indexes(out, condition_.parts[part]);
        }
        out.answers_filters = lists_all_ && are_exact(conditions.size());
        out.conditions = std::move(conditions);
        out.estimate = estimate;
        return out;
    }

    // Whether so many parts are the whole condition, and their entries tell exactly which of the
    // indexed items pass.
    bool are_exact(std::size_t parts) const {
        return parts == parts_.size() && condition_.exact &&
               std::all_of(
                   condition_.parts.begin(), condition_.parts.end(), [](const Condition& part) {
                       return part.kind == Condition::Kind::kPath;
                   });
    }

    static void add_indexes(Access& access, const Condition& condition) {
        if (condition.kind == Condition::Kind::kPath || condition.kind == Condition::Kind::kLacks) {
            std::string path = model::to_text(condition.path) + "/?";
            auto& known = access.used.paths;
            if (std::find(known.begin(), known.end(), path) == known.end()) {
                known.push_back(std::move(path));
            }
        }
        for (const Condition& part : condition.parts) {
            add_indexes(access, part);
        }
    }

    // Cosmos DB never sorts items without an index.
    Status check_order() const {
        if (source_.sorts_without_index()) return {};
        if (query_.order_by.size() > 1) {
            if (policy_ != nullptr && match_composite(query_.order_by, *policy_)) return {};
            return plain_query_error(
                "The order by query does not have a corresponding composite index that it can be "
                "served from.");
        }
        const auto& path = query_.order_by.front().path;
        if (policy_ != nullptr && path && policy_->indexes(index_path(*path))) return {};
        return plain_query_error(
            "The index path corresponding to the specified order-by item is excluded.");
    }

    Result<Access> plan_sorted() {
        const auto& orders = query_.order_by;
        std::optional<CompositeMatch> match;
        if (orders.size() > 1 && policy_ != nullptr) match = match_composite(orders, *policy_);
        Access sort;
        sort.kind = Access::Kind::kSort;
        sort.order = ItemOrder::kKeys;
        const bool descends = match ? match->backward : orders.front().descending;
        if (descends) sort.number_order = source_.descending_order();
        if (index_ == nullptr) return sort;
        if (const auto few = fewest()) {
            sort.conditions = {few->number};
            sort.estimate = few->estimate;
            add_indexes(sort, condition_.parts[few->number]);
            return sort;
        }
        if (!lists_all_ || TRY(has_few_members())) return sort;
        if (auto ordered = TRY(plan_ordered(match))) {
            ordered->number_order = sort.number_order;
            return *std::move(ordered);
        }
        sort.conditions = parts_of(Condition::Reach::kPoint);
        return sort;
    }

    Result<bool> has_few_members() const {
        const auto members = source_.members();
        if (members == nullptr) return false;
        std::size_t count = 0;
        while (members->valid() && count < kSortedMembersMax) {
            ++count;
            members->next();
        }
        TRY(members->status());
        return count < kSortedMembersMax;
    }

    Result<std::optional<Access>> plan_ordered(const std::optional<CompositeMatch>& match) {
        Access out;
        out.kind = Access::Kind::kOrdered;
        out.order = ItemOrder::kKeys;
        if (match) {
            const auto& parts = policy_->composites()[match->number];
            out.composite = index_->find_composite(parts);
            if (!out.composite) return std::optional<Access>();
            out.backward = match->backward;
            const CompositeFilter filter = match_filter(condition_.parts, parts);
            out.bounds = {.from = "", .until = "\xff", .exact = true};
            if (filter.paths() > 0) out.bounds = filter.bounds;
            out.used.composites.push_back(names_of(parts));
            return std::optional(std::move(out));
        }
        const BoundOrder& order = query_.order_by.front();
        const model::IndexPath path = index_path(*order.path);
        const IndexSource::Path entry = TRY(index_->find(path));
        if (is_positional(*order.path) || entry.state == PathState::kUnusable) {
            return std::optional<Access>();
        }
        out.bounds = index::any_defined();
        out.backward = order.descending;
        out.with_undefined = true;
        std::size_t bounding = 0;
        for (const Condition& part : condition_.parts) {
            if (part.kind != Condition::Kind::kPath || part.path != path) continue;
            out.with_undefined = false;
            if (part.bounds.size() == 1) {
                out.bounds = index::intersection(out.bounds, part.bounds.front());
                ++bounding;
            }
        }
        out.answers_filters = bounding > 0 && are_exact(bounding);
        out.used.paths.push_back(model::to_text(path) + "/?");
        return std::optional(std::move(out));
    }

    const BoundQuery& query_;
    const std::vector<ItemPath>& paths_;
    const Condition& condition_;
    const ItemSource& source_;
    const index::PathPolicy* policy_;
    const IndexSource* index_;
    Budget& budget_;
    std::vector<Part> parts_;
    std::size_t counted_ = 0;  // limit of the estimates
    bool lists_all_ = false;   // all items are in the index
};

}  // namespace

Result<Access> plan_access(const BoundQuery& query,
                           const std::vector<ItemPath>& paths,
                           const Condition& condition,
                           const ItemSource& source,
                           std::string_view position,
                           Budget& budget) {
    return Planner(query, paths, condition, source, budget).plan(position);
}

std::string_view name_of(Access::Kind kind) {
    switch (kind) {
        case Access::Kind::kNothing:
            return "nothing";
        case Access::Kind::kScan:
            return "scan";
        case Access::Kind::kLookup:
            return "index lookup";
        case Access::Kind::kWalk:
            return "index walk";
        case Access::Kind::kOrdered:
            return "ordered index walk";
        case Access::Kind::kSort:
            return "sort";
    }
    return "";
}

}  // namespace orrery::sql
