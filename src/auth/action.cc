#include "auth/action.h"

#include <array>

namespace orrery::auth {

namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, kActions> kActionNames = {
    "ReadAccount",   "ReadDatabase",   "ReadContainer",    "ReadRanges",      "ReadOffer",
    "ReadClientKey", "ReadUser",       "ReadPermission",   "WriteDatabase",   "WriteContainer",
    "WriteOffer",    "WriteClientKey", "WriteUser",        "WritePermission", "ReadRole",
    "WriteRole",     "ReadKeys",       "WriteKeys",        "ReadBackup",      "WriteBackup",
    "ReadCluster",   "WriteCluster",   "ReadScript",       "WriteScript",     "ReadItem",
    "CreateItem",    "UpsertItem",     "ReplaceItem",      "DeleteItem",      "QueryItems",
    "ReadFeed",      "RunBatch",       "ExecuteProcedure", "ReadAttachment",  "WriteAttachment",
    "ReadConflict",  "DeleteConflict",
};

}  // namespace

bool is_read(Action action) {
    switch (action) {
        case Action::kReadAccount:
        case Action::kReadDatabase:
        case Action::kReadContainer:
        case Action::kReadRanges:
        case Action::kReadOffer:
        case Action::kReadClientKey:
        case Action::kReadUser:
        case Action::kReadPermission:
        case Action::kReadScript:
        case Action::kReadItem:
        case Action::kQueryItems:
        case Action::kReadFeed:
        case Action::kReadAttachment:
        case Action::kReadConflict:
            return true;
        default:
            return false;
    }
}

bool is_management(Action action) {
    switch (action) {
        case Action::kWriteDatabase:
        case Action::kWriteContainer:
        case Action::kWriteOffer:
        case Action::kWriteClientKey:
        case Action::kWriteUser:
        case Action::kReadPermission:
        case Action::kWritePermission:
        case Action::kWriteRole:
        case Action::kReadKeys:
        case Action::kWriteKeys:
        case Action::kWriteBackup:
        case Action::kWriteCluster:
        case Action::kWriteScript:
            return true;
        default:
            return false;
    }
}

std::string_view name_of(Action action) {
    const auto index = static_cast<std::size_t>(action);
    return index < kActionNames.size() ? kActionNames[index] : std::string_view();
}

}  // namespace orrery::auth
