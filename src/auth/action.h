// What a request does, in terms of rights: every route of the gateway names one, and a credential
// allows some of them. Where the service has a data action for it, ours means the same.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery::auth {

enum class Action : std::uint8_t {
    // Metadata, which every kind of credential may read as far as its scope reaches.
    kReadAccount,
    kReadDatabase,
    kReadContainer,
    kReadRanges,
    kReadOffer,
    kReadClientKey,
    kReadUser,
    kReadPermission,  // with its token
    // Management, which is for account keys.
    kWriteDatabase,
    kWriteContainer,
    kWriteOffer,
    kWriteClientKey,
    kWriteUser,
    kWritePermission,
    kReadRole,
    kWriteRole,
    kReadKeys,
    kWriteKeys,
    kReadBackup,
    kWriteBackup,
    kReadCluster,
    kWriteCluster,
    // The scripts of a container, as resources.
    kReadScript,
    kWriteScript,
    // Data. A batch needs the rights of its operations, a script all of them.
    kReadItem,
    kCreateItem,
    kUpsertItem,
    kReplaceItem,
    kDeleteItem,
    kQueryItems,
    kReadFeed,
    kRunBatch,
    kExecuteProcedure,
    kReadAttachment,
    kWriteAttachment,
    kReadConflict,
    kDeleteConflict,
    kLast = kDeleteConflict,
};

inline constexpr std::size_t kActions = static_cast<std::size_t>(Action::kLast) + 1;

// Whether it changes nothing and runs no script.
bool is_read(Action action);

// Whether it changes what is not an item, or shows a secret: such requests are logged.
bool is_management(Action action);

// "ReadItem" and the like, for metrics and logs.
std::string_view name_of(Action action);

}  // namespace orrery::auth
