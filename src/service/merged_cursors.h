// Cursors over the items and indexes of several partitions, in the common order of MergedSource: by
// number where values are equal. Backward, numbers descend within each range that assigned them,
// and the ranges ascend (sql::NumberOrder::kDescendingByRange).

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "index/cursors.h"
#include "sql/source.h"

namespace orrery::service {

// A cursor of one partition. If `range` is set, entries with numbers of other ranges are skipped.
template <typename Cursor>
struct Strand {
    std::unique_ptr<Cursor> cursor;
    std::optional<std::uint32_t> range;
};

// Backward, there must be a strand for each range that assigned numbers of the partition: a
// partition with numbers of several has them in another order than the common one.
std::unique_ptr<index::TermCursor> merge(std::vector<Strand<index::TermCursor>> strands,
                                         bool backward);
std::unique_ptr<index::DocnumCursor> merge(std::vector<Strand<index::DocnumCursor>> strands,
                                           bool backward);

// The items with numbers below `until`, of all cursors, by number. Each cursor is in that order.
std::unique_ptr<sql::ItemCursor> merge_items(std::vector<std::unique_ptr<sql::ItemCursor>> cursors,
                                             sql::ItemNumber until);

}  // namespace orrery::service
