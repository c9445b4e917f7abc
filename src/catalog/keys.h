// The keys of the catalog's entries. On disk (docs/storage-format.md): never reuse a letter.

#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "model/resource_id.h"
#include "model/script.h"

namespace orrery::catalog {

// The first byte of a key is its kind.
inline constexpr char kDatabaseLetter = 'B';
inline constexpr char kContainerLetter = 'C';
inline constexpr char kOfferLetter = 'O';
inline constexpr char kScriptLetter = 'S';
inline constexpr char kUserLetter = 'U';
inline constexpr char kPermissionLetter = 'P';
inline constexpr char kRoleDefinitionLetter = 'R';  // and its GUID as text
inline constexpr char kRoleAssignmentLetter = 'A';  // likewise
inline constexpr char kClientKeyLetter = 'E';
inline constexpr char kDropLetter = 'X';
inline constexpr std::string_view kCountersKey = "M";

template <typename... Numbers>
std::string key_of(char letter, Numbers... numbers) {
    std::string key(1, letter);
    (append_big_endian(key, numbers), ...);
    return key;
}

inline std::string key_of(model::DatabaseRid rid) { return key_of(kDatabaseLetter, rid.number); }
inline std::string key_of(model::ContainerRid rid) {
    return key_of(kContainerLetter, rid.database, rid.number);
}
inline std::string key_of(model::OfferRid rid) { return key_of(kOfferLetter, rid.number); }
// All kinds of scripts share one sequence of numbers.
inline std::string key_of(const model::ScriptRid& rid) {
    return key_of(kScriptLetter, rid.container.database, rid.container.number, rid.number);
}
inline std::string key_of(const model::ClientKeyRid& rid) {
    return key_of(kClientKeyLetter, rid.database, rid.number);
}
inline std::string key_of(model::UserRid rid) {
    return key_of(kUserLetter, rid.database, rid.number);
}
inline std::string key_of(const model::PermissionRid& rid) {
    return key_of(kPermissionLetter, rid.user.database, rid.user.number, rid.number);
}

}  // namespace orrery::catalog
