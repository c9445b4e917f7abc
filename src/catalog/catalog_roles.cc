// The part of the catalog that manages data-plane roles.

#include <algorithm>

#include "catalog/catalog.h"
#include "catalog/keys.h"
#include "catalog/refusals.h"
#include "model/limits.h"

namespace orrery::catalog {

namespace {

Error role_conflict(std::string message) { return Error(ErrorCode::kConflict, std::move(message)); }

Error damaged_role() {
    return Error(ErrorCode::kCorrupted, "the catalog entry of a role is damaged");
}

Error built_in_role() {
    return Error(ErrorCode::kForbidden, "Built-in role definitions cannot be changed.");
}

bool is_built_in(const RoleSet& roles, const std::string& id) {
    const auto found = roles.definitions.find(id);
    return found != roles.definitions.end() && found->second.built_in;
}

Status check_assignment(const RoleSet& roles, const model::RoleAssignment& wanted) {
    const auto role = roles.definitions.find(wanted.role);
    if (role == roles.definitions.end()) {
        return Error(ErrorCode::kBadRequest,
                     "The role definition '" + wanted.role + "' does not exist.");
    }
    const auto& scopes = role->second.assignable_scopes;
    if (std::none_of(scopes.begin(), scopes.end(), [&](const model::RoleScope& scope) {
            return scope.contains(wanted.scope);
        })) {
        return Error(
            ErrorCode::kBadRequest,
            "The role definition cannot be assigned at the scope '" + wanted.scope.text() + "'.");
    }
    for (const auto& [id, one] : roles.assignments) {
        if (id != wanted.id && one.role == wanted.role && one.principal == wanted.principal &&
            one.scope == wanted.scope) {
            return role_conflict("The principal has this role at this scope already.");
        }
    }
    return {};
}

}  // namespace

Status Catalog::load_role(RoleSet& roles, std::string_view key, std::string_view value) {
    const auto body = json::Value::parse(value);
    if (!body) return damaged_role();
    const std::string_view id = key.substr(1);
    if (key[0] == kRoleDefinitionLetter) {
        auto definition = model::parse_role_definition(id, *body);
        if (!definition) return damaged_role();
        roles.definitions.insert_or_assign(definition->id, *definition);
        return {};
    }
    auto assignment = model::parse_role_assignment(id, *body);
    if (!assignment) return damaged_role();
    roles.put(std::move(assignment).take());
    return {};
}

Result<bool> Catalog::put_role(model::RoleDefinition definition) {
    const std::lock_guard changing(change_mutex_);
    const RoleSetPtr old = roles();
    if (is_built_in(*old, definition.id)) return built_in_role();
    for (const auto& [id, one] : old->definitions) {
        if (id != definition.id && one.name == definition.name) {
            return role_conflict("A role definition with this name exists already.");
        }
    }
    const bool created = !old->definitions.contains(definition.id);
    if (created && old->definitions.size() >= model::limits::kRoleDefinitionsMax) {
        return too_many_roles();
    }
    Change change = begin_change();
    change.batch.put(kRoleDefinitionLetter + definition.id, model::to_json(definition).text());
    auto changed = std::make_shared<RoleSet>(*old);
    const std::string id = definition.id;
    changed->definitions.insert_or_assign(id, std::move(definition));
    TRY(publish_roles(change, std::move(changed)));
    return created;
}

Status Catalog::remove_role(const std::string& id) {
    const std::lock_guard changing(change_mutex_);
    const RoleSetPtr old = roles();
    if (!old->definitions.contains(id)) return not_found();
    if (is_built_in(*old, id)) return built_in_role();
    for (const auto& [assigned, one] : old->assignments) {
        if (one.role == id) return role_conflict("The role definition is assigned.");
    }
    Change change = begin_change();
    change.batch.remove(kRoleDefinitionLetter + id);
    auto changed = std::make_shared<RoleSet>(*old);
    changed->definitions.erase(id);
    return publish_roles(change, std::move(changed));
}

Result<bool> Catalog::put_role_assignment(model::RoleAssignment assignment) {
    const std::lock_guard changing(change_mutex_);
    const RoleSetPtr old = roles();
    TRY(check_assignment(*old, assignment));
    const bool created = !old->assignments.contains(assignment.id);
    if (created && old->assignments.size() >= model::limits::kRoleAssignmentsMax) {
        return too_many_roles();
    }
    Change change = begin_change();
    change.batch.put(kRoleAssignmentLetter + assignment.id, model::to_json(assignment).text());
    auto changed = std::make_shared<RoleSet>(*old);
    changed->put(std::move(assignment));
    TRY(publish_roles(change, std::move(changed)));
    return created;
}

Status Catalog::remove_role_assignment(const std::string& id) {
    const std::lock_guard changing(change_mutex_);
    const RoleSetPtr old = roles();
    if (!old->assignments.contains(id)) return not_found();
    Change change = begin_change();
    change.batch.remove(kRoleAssignmentLetter + id);
    auto changed = std::make_shared<RoleSet>(*old);
    changed->remove_assignment(id);
    return publish_roles(change, std::move(changed));
}

Status Catalog::publish_roles(Change& change, RoleSetPtr roles) {
    TRY(commit(change));
    roles_.store(std::move(roles));
    return {};
}

}  // namespace orrery::catalog
