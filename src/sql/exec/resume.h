// Where a query continues: the content of its continuation token. A position, no server state.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::sql {

struct Resume {
    std::string position;  // of the first item or group; empty at the start
    // Rows of `item` already returned; ignored unless the page starts at that item.
    std::uint64_t item = 0;
    std::uint64_t rows_done = 0;
    // For OFFSET, LIMIT and TOP: rows skipped and rows returned so far.
    std::uint64_t passed = 0;
    std::uint64_t given = 0;

    bool operator==(const Resume&) const = default;

    std::string encode() const;
    // kBadRequest for bytes that encode() does not produce.
    static Result<Resume> decode(std::string_view bytes);
};

}  // namespace orrery::sql
