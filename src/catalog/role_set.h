// The data-plane roles of the account: built-in and custom definitions, and their assignments.
// Immutable: a change makes a new set.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "model/role.h"

namespace orrery::catalog {

struct RoleSet {
    RoleSet();  // the built-in definitions

    std::map<std::string, model::RoleDefinition> definitions;  // by id
    std::map<std::string, model::RoleAssignment> assignments;  // by id
    std::multimap<std::string, std::string> by_principal;      // ids of assignments

    void put(model::RoleAssignment assignment);
    void remove_assignment(const std::string& id);

    // Whether the principal has a role with this action whose scope contains `scope`.
    bool allows(const std::string& principal,
                std::string_view action,
                const model::RoleScope& scope) const;
    // The same for any scope at all.
    bool allows_somewhere(const std::string& principal, std::string_view action) const;
};

using RoleSetPtr = std::shared_ptr<const RoleSet>;

}  // namespace orrery::catalog
