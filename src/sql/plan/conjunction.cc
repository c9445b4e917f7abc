#include "sql/plan/conjunction.h"

#include <algorithm>

namespace orrery::sql {

namespace {

// An item has one value at such a path, which must lie in all its ranges.
bool is_range(const Condition& part) {
    return part.kind == Condition::Kind::kPath && part.reach != Condition::Reach::kPoint &&
           part.bounds.size() == 1 && part.predicate == nullptr && !part.in_array();
}

void narrow(Condition& range, const Condition& by) {
    index::ValueBounds& bounds = range.bounds.front();
    bounds = index::intersection(bounds, by.bounds.front());
    range.exact = range.exact && by.exact;
    range.reach = std::min(range.reach, by.reach);
    if (!bounds.empty()) return;
    range = {};
    range.kind = Condition::Kind::kNone;
    range.exact = true;
}

}  // namespace

void add_part(Condition& all, Condition part) {
    all.exact = all.exact && part.exact;
    all.reach = std::min(all.reach, part.reach);
    if (part.kind == Condition::Kind::kAnd) {
        for (Condition& inner : part.parts) {
            add_part(all, std::move(inner));
        }
        return;
    }
    if (is_range(part)) {
        const auto known =
            std::find_if(all.parts.begin(), all.parts.end(), [&](const Condition& one) {
                return is_range(one) && one.path == part.path;
            });
        if (known != all.parts.end()) return narrow(*known, part);
    }
    all.parts.push_back(std::move(part));
}

}  // namespace orrery::sql
