#include "auth/action.h"

namespace orrery::auth {

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
        case Action::kWriteScript:
            return true;
        default:
            return false;
    }
}

std::string_view name_of(Action action) {
    switch (action) {
        case Action::kReadAccount:
            return "ReadAccount";
        case Action::kReadDatabase:
            return "ReadDatabase";
        case Action::kReadContainer:
            return "ReadContainer";
        case Action::kReadRanges:
            return "ReadRanges";
        case Action::kReadOffer:
            return "ReadOffer";
        case Action::kReadClientKey:
            return "ReadClientKey";
        case Action::kWriteClientKey:
            return "WriteClientKey";
        case Action::kReadUser:
            return "ReadUser";
        case Action::kReadPermission:
            return "ReadPermission";
        case Action::kWriteDatabase:
            return "WriteDatabase";
        case Action::kWriteContainer:
            return "WriteContainer";
        case Action::kWriteOffer:
            return "WriteOffer";
        case Action::kWriteUser:
            return "WriteUser";
        case Action::kWritePermission:
            return "WritePermission";
        case Action::kReadRole:
            return "ReadRole";
        case Action::kWriteRole:
            return "WriteRole";
        case Action::kReadKeys:
            return "ReadKeys";
        case Action::kWriteKeys:
            return "WriteKeys";
        case Action::kReadScript:
            return "ReadScript";
        case Action::kWriteScript:
            return "WriteScript";
        case Action::kReadItem:
            return "ReadItem";
        case Action::kCreateItem:
            return "CreateItem";
        case Action::kUpsertItem:
            return "UpsertItem";
        case Action::kReplaceItem:
            return "ReplaceItem";
        case Action::kDeleteItem:
            return "DeleteItem";
        case Action::kQueryItems:
            return "QueryItems";
        case Action::kReadFeed:
            return "ReadFeed";
        case Action::kRunBatch:
            return "RunBatch";
        case Action::kExecuteProcedure:
            return "ExecuteProcedure";
        case Action::kReadAttachment:
            return "ReadAttachment";
        case Action::kWriteAttachment:
            return "WriteAttachment";
        case Action::kReadConflict:
            return "ReadConflict";
        case Action::kDeleteConflict:
            return "DeleteConflict";
    }
    return "";
}

}  // namespace orrery::auth
