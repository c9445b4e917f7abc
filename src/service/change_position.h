// Where the reader of a change feed is: what it has of each part of the hash space. It names no
// partitions, so it stays valid when they are split or merged: changes keep their LSNs.
//
// Clients get it as an etag (docs/storage-format.md). It is not signed: it says nothing that a
// client could not find out, and the etag of a range is a quoted LSN, as in the service.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/effective_partition_key.h"
#include "partition/keys.h"

namespace orrery::service {

// The etag of a client that wants what comes from now on.
inline constexpr std::string_view kFromNow = "*";

struct ChangePart {
    model::EpkRange epks;
    partition::Lsn after = 0;  // the reader has the changes up to this one
    // Unix seconds: the reader does not want older changes.
    std::optional<std::int64_t> since = std::nullopt;

    bool operator==(const ChangePart&) const = default;
};

struct ChangePosition {
    std::vector<ChangePart> parts;  // adjacent, in order, not empty
    std::size_t first = 0;          // the one to read first, so that none waits for ever

    // The same position in the whole hash space.
    static ChangePosition everywhere(const ChangePart& part);

    // Joins adjacent parts with the same position.
    void simplify();

    // "28", or "28|<base64>" if the parts have different positions.
    std::string etag() const;
    // kBadRequest for texts that etag() does not produce. A lone LSN applies everywhere: it may
    // come from a range that has been split since.
    static Result<ChangePosition> parse(std::string_view etag);
};

}  // namespace orrery::service
