// Reads the change log of one partition page by page, oldest change first: the newest version of
// every item that has changed since a position, or all versions and removals since then.
//
// A position is an LSN. The changes of a transaction share one, so a page never ends inside a
// transaction.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "partition/change_log.h"
#include "partition/feed.h"
#include "partition/item_record.h"
#include "partition/partition.h"

namespace orrery::partition {

// Valid during the call that gets it.
struct Change {
    LogPlace place;
    ChangeKind kind = ChangeKind::kUnknown;  // only if all versions are read, like the rest
    const ItemView* item = nullptr;          // null for a removal
    Lsn previous_lsn = 0;                    // of the version before; 0 for a create
    const ItemView* previous = nullptr;      // that version, if it is still kept
    const Removal* removal = nullptr;
};

// Appends the JSON texts that readers get for a change, separated by commas, and returns how many
// that were.
using ChangePrinter = std::function<Result<std::size_t>(const Change& change, std::string& out)>;

struct ChangesRequest {
    FeedScope scope;
    Lsn after = 0;  // what the reader has
    // Unix seconds: leaves out older changes. With after = 0 the log is read from about there on.
    std::optional<std::int64_t> since;
    // Reads every version and removal. kBadRequest if some of them are not kept any more.
    bool all_versions = false;
    std::size_t items_max = 0;
    std::size_t bytes_max = 0;
    // Returns the first transaction whatever its size, so every page makes progress. False if the
    // page already has changes of another partition.
    bool at_least_one = true;
    // The page ends after the transaction that is being read then.
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    std::optional<std::int32_t> default_ttl;
};

struct ChangesPage {
    std::string items;  // JSON texts, separated by commas
    std::size_t count = 0;
    Lsn until = 0;          // what the reader has now
    bool complete = false;  // there was nothing after that
    Lsn lsn = 0;            // of the state that was read
    // What was loaded for it.
    std::uint64_t items_read = 0;
    std::uint64_t bytes_read = 0;
};

// May end early, with no items, after visiting many changes out of scope. Exceeds items_max and
// bytes_max only for a single transaction that is larger.
Result<ChangesPage> read_changes(const Partition& partition,
                                 const ChangesRequest& request,
                                 const ChangePrinter& print);

}  // namespace orrery::partition
