// What a request does, in terms of rights: every route of the gateway names one, and a credential
// allows some of them. Where the service has a data action for it, ours means the same.

#pragma once

#include <cstdint>

namespace orrery::auth {

enum class Action : std::uint8_t {
    // Metadata, which every kind of credential may read as far as its scope reaches.
    kReadAccount,
    kReadDatabase,
    kReadContainer,
    kReadRanges,
    kReadOffer,
    // Management, which is for account keys.
    kWriteDatabase,
    kWriteContainer,
    kWriteOffer,
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
};

}  // namespace orrery::auth
