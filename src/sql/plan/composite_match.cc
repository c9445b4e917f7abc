#include "sql/plan/composite_match.h"

#include "model/index_path.h"

namespace orrery::sql {

namespace {

bool same_path(const std::optional<ItemPath>& path, const model::IndexPath& indexed) {
    if (!path || path->size() != indexed.size()) return false;
    for (std::size_t i = 0; i < indexed.size(); ++i) {
        const auto* name = std::get_if<std::string>(&(*path)[i]);
        if (name == nullptr || indexed[i].element || *name != indexed[i].name) return false;
    }
    return true;
}

std::optional<bool> walked_backward(const std::vector<BoundOrder>& orders,
                                    const index::Composite& composite) {
    if (orders.size() != composite.size()) return std::nullopt;
    std::optional<bool> backward;
    for (std::size_t i = 0; i < orders.size(); ++i) {
        if (!same_path(orders[i].path, composite[i].path)) return std::nullopt;
        const bool reversed =
            orders[i].descending != (composite[i].order == index::Order::kDescending);
        if (backward && *backward != reversed) return std::nullopt;
        backward = reversed;
    }
    return backward;
}

// The most selective part on the path.
const Condition* part_on(const std::vector<Condition>& parts, const model::IndexPath& path) {
    const Condition* best = nullptr;
    for (const Condition& part : parts) {
        const bool fits = part.kind == Condition::Kind::kPath && part.path == path &&
                          !part.in_array() && part.bounds.size() == 1;
        if (!fits) continue;
        if (best == nullptr || part.reach < best->reach) best = &part;
    }
    return best;
}

}  // namespace

CompositeFilter match_filter(const std::vector<Condition>& parts,
                             const index::Composite& composite) {
    CompositeFilter out;
    std::string equal;
    for (const index::CompositePart& indexed : composite) {
        const Condition* part = part_on(parts, indexed.path);
        if (part == nullptr) break;
        index::ValueBounds bounds = part->bounds.front();
        if (part->reach == Condition::Reach::kPoint) {
            index::append_in_order(equal, bounds.from, indexed.order);
            ++out.equal;
            continue;
        }
        if (indexed.order == index::Order::kDescending) bounds = index::inverted(bounds);
        out.range = true;
        out.bounds = {.from = equal + bounds.from, .until = equal + bounds.until, .exact = false};
        return out;
    }
    if (out.equal > 0) {
        out.bounds = {.from = equal, .until = index::prefix_end(equal), .exact = false};
    }
    return out;
}

std::optional<CompositeMatch> match_composite(const std::vector<BoundOrder>& orders,
                                              const index::PathPolicy& policy) {
    for (std::size_t i = 0; i < policy.composites().size(); ++i) {
        if (const auto backward = walked_backward(orders, policy.composites()[i])) {
            return CompositeMatch{.number = i, .backward = *backward};
        }
    }
    return std::nullopt;
}

std::vector<std::string> names_of(const index::Composite& composite) {
    std::vector<std::string> out;
    for (const index::CompositePart& part : composite) {
        out.push_back(model::to_text(part.path) +
                      (part.order == index::Order::kAscending ? " ASC" : " DESC"));
    }
    return out;
}

}  // namespace orrery::sql
