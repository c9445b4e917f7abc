// Where a query continues: the content of its continuation token. A position, no server state.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::sql {

struct Resume {
    std::string position;  // of the first item or group; empty at the start
    // The item that the next two are about; they are ignored unless the page starts there.
    std::uint64_t item = 0;
    // Its rows already returned, in tokens of earlier versions.
    std::uint64_t rows_done = 0;
    // For OFFSET, LIMIT and TOP: rows skipped and rows returned so far.
    std::uint64_t passed = 0;
    std::uint64_t given = 0;
    // Where to start in the item's rows: see RowLoop.
    std::vector<std::uint64_t> place = {};
    // What aggregates have accumulated before this place; empty at the start.
    std::string state = {};

    bool operator==(const Resume&) const = default;

    std::string encode() const;
    // kBadRequest for bytes that encode() does not produce.
    static Result<Resume> decode(std::string_view bytes);
};

}  // namespace orrery::sql
