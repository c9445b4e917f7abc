#include "model/role.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/ascii.h"
#include "model/limits.h"

namespace orrery::model {

namespace {

using json::Value;

constexpr std::string_view kActionPrefix = "Microsoft.DocumentDB/databaseAccounts/";

// The actions there are, after the prefix.
constexpr std::array<std::string_view, 11> kActionNames = {
    "readMetadata",
    "sqlDatabases/containers/executeQuery",
    "sqlDatabases/containers/readChangeFeed",
    "sqlDatabases/containers/executeStoredProcedure",
    "sqlDatabases/containers/manageConflicts",
    "sqlDatabases/containers/items/create",
    "sqlDatabases/containers/items/read",
    "sqlDatabases/containers/items/replace",
    "sqlDatabases/containers/items/upsert",
    "sqlDatabases/containers/items/delete",
    "sqlDatabases/containers/items/unmask",
};

Error role_refused(std::string message) {
    return Error(ErrorCode::kBadRequest, std::move(message));
}

bool matches(std::string_view pattern, std::string_view action) {
    if (!pattern.ends_with('*')) return same_word(pattern, action);
    pattern.remove_suffix(1);
    return action.size() >= pattern.size() && same_word(pattern, action.substr(0, pattern.size()));
}

// An action, or the beginning of one up to a slash, and "*".
Status check_data_action(const std::string& action) {
    const bool wild = action.ends_with("/*");
    for (const std::string_view name : kActionNames) {
        const std::string known = std::string(kActionPrefix).append(name);
        if (wild ? matches(action, known) : same_word(action, known)) return {};
    }
    return role_refused("The data action '" + action.substr(0, 200) + "' is not known.");
}

const Value& properties_of(const Value& body) {
    const Value* found = body.find("properties");
    return found != nullptr && found->is_object() ? *found : body;
}

Result<std::string> required_text(const Value& body, std::string_view name) {
    const Value* found = body.find(name);
    if (found == nullptr || !found->is_string() || found->string().empty()) {
        return role_refused("The property '" + std::string(name) + "' must be a non-empty string.");
    }
    if (found->string().size() > limits::kRoleTextBytesMax) {
        return role_refused("The property '" + std::string(name) + "' is too long.");
    }
    return found->string();
}

Result<std::vector<std::string>> texts_of(const Value* list, std::string_view name) {
    std::vector<std::string> out;
    if (list == nullptr || !list->is_array() || list->array().empty() ||
        list->array().size() > limits::kRoleEntriesMax) {
        return role_refused("The property '" + std::string(name) + "' must be an array of 1 to " +
                            std::to_string(limits::kRoleEntriesMax) + " strings.");
    }
    for (const Value& entry : list->array()) {
        if (!entry.is_string()) {
            return role_refused("The property '" + std::string(name) +
                                "' must be an array of strings.");
        }
        out.push_back(entry.string());
    }
    return out;
}

Result<std::vector<std::string>> data_actions_of(const Value& properties) {
    const Value* permissions = properties.find("permissions");
    if (permissions == nullptr || !permissions->is_array() || permissions->array().empty() ||
        permissions->array().size() > limits::kRoleEntriesMax) {
        return role_refused("The property 'permissions' must be a non-empty array of objects.");
    }
    std::vector<std::string> out;
    for (const Value& permission : permissions->array()) {
        const Value* denied = permission.find("notDataActions");
        const bool denies = denied != nullptr && !denied->is_null() &&
                            !(denied->is_array() && denied->array().empty());
        if (denies) return role_refused("'notDataActions' are not supported.");
        for (std::string& action : TRY(texts_of(permission.find("dataActions"), "dataActions"))) {
            TRY(check_data_action(action));
            out.push_back(std::move(action));
        }
    }
    return out;
}

// The last segment of .../sqlRoleDefinitions/GUID, or the GUID alone.
std::string_view last_segment(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    return slash == std::string_view::npos ? text : text.substr(slash + 1);
}

}  // namespace

std::string RoleScope::text() const {
    if (database.empty()) return "/";
    return container.empty() ? "/dbs/" + database : "/dbs/" + database + "/colls/" + container;
}

bool RoleScope::contains(const RoleScope& other) const {
    if (database.empty()) return true;
    return database == other.database && (container.empty() || container == other.container);
}

Result<RoleScope> parse_role_scope(std::string_view text) {
    std::string_view rest = text;
    constexpr std::string_view kAccounts = "/databaseaccounts/";
    const std::size_t accounts = lower(rest).find(kAccounts);
    if (accounts != std::string::npos) {
        rest.remove_prefix(accounts + kAccounts.size());
        rest.remove_prefix(std::min(rest.find('/'), rest.size()));
    }
    std::vector<std::string_view> parts;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find('/'), rest.size());
        if (end > 0) parts.push_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    const bool shaped = (parts.empty() || parts.size() == 2 || parts.size() == 4) &&
                        (parts.size() < 2 || same_word(parts[0], "dbs")) &&
                        (parts.size() < 4 || same_word(parts[2], "colls")) &&
                        text.starts_with('/') && text.size() <= limits::kRoleTextBytesMax;
    if (!shaped) {
        return role_refused("The scope '" + std::string(text.substr(0, 200)) +
                            "' is not valid; it must be /, /dbs/DB or /dbs/DB/colls/COLL.");
    }
    RoleScope out;
    if (parts.size() >= 2) out.database = parts[1];
    if (parts.size() == 4) out.container = parts[3];
    return out;
}

bool RoleDefinition::allows(std::string_view action) const {
    return std::any_of(data_actions.begin(), data_actions.end(), [&](const std::string& pattern) {
        return matches(pattern, action);
    });
}

const std::vector<RoleDefinition>& built_in_roles() {
    const auto full = [](std::initializer_list<std::string_view> names) {
        std::vector<std::string> out;
        for (const std::string_view name : names)
            out.push_back(std::string(kActionPrefix).append(name));
        return out;
    };
    static const std::vector<RoleDefinition> kRoles = {
        {.id = std::string(kDataReaderRole),
         .name = "Cosmos DB Built-in Data Reader",
         .built_in = true,
         .assignable_scopes = {{}},
         .data_actions = full({"readMetadata",
                               "sqlDatabases/containers/executeQuery",
                               "sqlDatabases/containers/readChangeFeed",
                               "sqlDatabases/containers/items/read"})},
        {.id = std::string(kDataContributorRole),
         .name = "Cosmos DB Built-in Data Contributor",
         .built_in = true,
         .assignable_scopes = {{}},
         .data_actions = full(
             {"readMetadata", "sqlDatabases/containers/*", "sqlDatabases/containers/items/*"})},
    };
    return kRoles;
}

Result<RoleDefinition> parse_role_definition(std::string_view id, const Value& body) {
    const Value& properties = properties_of(body);
    RoleDefinition out;
    out.id = TRY(parse_role_id(id));
    out.name = TRY(required_text(properties, "roleName"));
    const Value* type = properties.find("type");
    if (type != nullptr && !type->is_null()) {
        const bool custom = type->is_string() ? same_word(type->string(), "CustomRole")
                                              : type->integer() == std::optional<std::int64_t>(1);
        if (!custom) return role_refused("Only roles of type 'CustomRole' can be stored.");
    }
    for (const std::string& scope :
         TRY(texts_of(properties.find("assignableScopes"), "assignableScopes"))) {
        out.assignable_scopes.push_back(TRY(parse_role_scope(scope)));
    }
    out.data_actions = TRY(data_actions_of(properties));
    return out;
}

Result<RoleAssignment> parse_role_assignment(std::string_view id, const Value& body) {
    const Value& properties = properties_of(body);
    RoleAssignment out;
    out.id = TRY(parse_role_id(id));
    const std::string role = TRY(required_text(properties, "roleDefinitionId"));
    out.role = TRY(parse_role_id(last_segment(role)));
    out.principal = TRY(required_text(properties, "principalId"));
    const std::string scope = TRY(required_text(properties, "scope"));
    out.scope = TRY(parse_role_scope(scope));
    return out;
}

Value to_json(const RoleDefinition& definition) {
    Value::Array scopes;
    for (const RoleScope& scope : definition.assignable_scopes)
        scopes.push_back(scope.text());
    Value::Array actions(definition.data_actions.begin(), definition.data_actions.end());
    Value permission(Value::Object{});
    permission.set("dataActions", std::move(actions));
    permission.set("notDataActions", Value::Array{});
    Value properties(Value::Object{});
    properties.set("roleName", definition.name);
    properties.set("type", definition.built_in ? "BuiltInRole" : "CustomRole");
    properties.set("assignableScopes", std::move(scopes));
    properties.set("permissions", Value::Array{std::move(permission)});
    Value out(Value::Object{});
    out.set("id", "/sqlRoleDefinitions/" + definition.id);
    out.set("name", definition.id);
    out.set("type", "Microsoft.DocumentDB/databaseAccounts/sqlRoleDefinitions");
    out.set("properties", std::move(properties));
    return out;
}

Value to_json(const RoleAssignment& assignment) {
    Value properties(Value::Object{});
    properties.set("roleDefinitionId", "/sqlRoleDefinitions/" + assignment.role);
    properties.set("scope", assignment.scope.text());
    properties.set("principalId", assignment.principal);
    Value out(Value::Object{});
    out.set("id", "/sqlRoleAssignments/" + assignment.id);
    out.set("name", assignment.id);
    out.set("type", "Microsoft.DocumentDB/databaseAccounts/sqlRoleAssignments");
    out.set("properties", std::move(properties));
    return out;
}

Result<std::string> parse_role_id(std::string_view text) {
    constexpr std::string_view kShape = "00000000-0000-0000-0000-000000000000";
    bool shaped = text.size() == kShape.size();
    for (std::size_t i = 0; shaped && i < kShape.size(); ++i) {
        shaped = kShape[i] == '-' ? text[i] == '-'
                                  : std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
    }
    if (!shaped) {
        return role_refused("'" + std::string(text.substr(0, 100)) + "' is not a GUID.");
    }
    return lower(text);
}

}  // namespace orrery::model
