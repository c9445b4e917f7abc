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

}  // namespace

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
