#include "catalog/role_set.h"

#include <algorithm>

namespace orrery::catalog {

namespace {

// Whether one of the principal's assignments has a role with the action and a scope that fits.
template <typename Fits>
bool any_allows(const RoleSet& roles,
                const std::string& principal,
                std::string_view action,
                const Fits& fits) {
    const auto [begin, end] = roles.by_principal.equal_range(principal);
    return std::any_of(begin, end, [&](const auto& entry) {
        const model::RoleAssignment& assignment = roles.assignments.at(entry.second);
        const auto role = roles.definitions.find(assignment.role);
        return role != roles.definitions.end() && fits(assignment.scope) &&
               role->second.allows(action);
    });
}

}  // namespace

RoleSet::RoleSet() {
    for (const model::RoleDefinition& role : model::built_in_roles())
        definitions.emplace(role.id, role);
}

void RoleSet::put(model::RoleAssignment assignment) {
    remove_assignment(assignment.id);
    by_principal.emplace(assignment.principal, assignment.id);
    const std::string id = assignment.id;
    assignments.emplace(id, std::move(assignment));
}

void RoleSet::remove_assignment(const std::string& id) {
    const auto old = assignments.find(id);
    if (old == assignments.end()) return;
    auto [next, end] = by_principal.equal_range(old->second.principal);
    while (next != end) {
        next = next->second == id ? by_principal.erase(next) : std::next(next);
    }
    assignments.erase(old);
}

bool RoleSet::allows(const std::string& principal,
                     std::string_view action,
                     const model::RoleScope& scope) const {
    return any_allows(*this, principal, action, [&](const model::RoleScope& assigned) {
        return assigned.contains(scope);
    });
}

bool RoleSet::allows_somewhere(const std::string& principal, std::string_view action) const {
    return any_allows(*this, principal, action, [](const model::RoleScope&) { return true; });
}

}  // namespace orrery::catalog
