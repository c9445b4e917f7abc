#include "sql/plan/potential_indexes.h"

#include <algorithm>

#include "sql/plan/composite_match.h"

namespace orrery::sql {

namespace {

class Advice {
public:
    explicit Advice(const index::PathPolicy* policy) : policy_(policy) {}

    void look_at(const Condition& condition) {
        if (condition.kind == Condition::Kind::kPath) {
            if (policy_ == nullptr || !policy_->indexes(condition.path)) {
                add(model::to_text(condition.path) + "/?");
            }
        }
        for (const Condition& part : condition.parts) {
            look_at(part);
        }
    }

    // Equalities first, then one range or the sort order: the shape a composite index serves.
    void combine(const BoundQuery& query, const Condition& condition) {
        index::Composite wanted;
        std::optional<index::CompositePart> range;
        for (const Condition& part : condition.parts) {
            if (part.kind != Condition::Kind::kPath || part.in_array()) continue;
            if (part.reach == Condition::Reach::kPoint && part.bounds.size() == 1) {
                add_once(wanted, {.path = part.path, .order = index::Order::kAscending});
            } else if (part.reach == Condition::Reach::kRange) {
                range = {.path = part.path, .order = index::Order::kAscending};
            }
        }
        if (query.order_by.empty() && range) add_once(wanted, *range);
        for (const BoundOrder& order : query.order_by) {
            if (!order.path) return;
            model::IndexPath path;
            for (const ast::PathStep& step : *order.path) {
                const auto* name = std::get_if<std::string>(&step);
                if (name == nullptr) return;
                path.push_back({.name = *name, .element = false});
            }
            add_once(
                wanted,
                {.path = std::move(path),
                 .order = order.descending ? index::Order::kDescending : index::Order::kAscending});
        }
        if (wanted.size() < 2 || has(wanted)) return;
        out_.composites.push_back(names_of(wanted));
    }

    Access::Indexes take() { return std::move(out_); }

private:
    void add(std::string path) {
        auto& known = out_.paths;
        if (std::find(known.begin(), known.end(), path) == known.end()) {
            known.push_back(std::move(path));
        }
    }

    static void add_once(index::Composite& parts, index::CompositePart part) {
        const bool known =
            std::any_of(parts.begin(), parts.end(), [&](const index::CompositePart& one) {
                return one.path == part.path;
            });
        if (!known) parts.push_back(std::move(part));
    }

    // The directions of equality parts do not matter, and all may be reversed.
    bool has(const index::Composite& wanted) const {
        if (policy_ == nullptr) return false;
        const auto& existing = policy_->composites();
        return std::any_of(existing.begin(), existing.end(), [&](const index::Composite& one) {
            return std::equal(one.begin(),
                              one.end(),
                              wanted.begin(),
                              wanted.end(),
                              [](const auto& a, const auto& b) { return a.path == b.path; });
        });
    }

    const index::PathPolicy* policy_;
    Access::Indexes out_;
};

}  // namespace

Access::Indexes potential_indexes(const BoundQuery& query,
                                  const Condition& condition,
                                  const index::PathPolicy* policy) {
    Advice advice(policy);
    advice.look_at(condition);
    advice.combine(query, condition);
    return advice.take();
}

}  // namespace orrery::sql
