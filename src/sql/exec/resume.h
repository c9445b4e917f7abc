// Where a query goes on: what its continuation token holds. A position, never state of the server.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::sql {

struct Resume {
    std::string position;  // of the item or group to begin with; empty at the start
    // Of that item, how many rows have been given; counts only while the item is still the one.
    std::uint64_t item = 0;
    std::uint64_t rows_done = 0;
    // For OFFSET, LIMIT and TOP: how many rows have been passed over and given.
    std::uint64_t passed = 0;
    std::uint64_t given = 0;

    bool operator==(const Resume&) const = default;

    std::string encode() const;
    // kBadRequest for bytes that encode() does not make.
    static Result<Resume> decode(std::string_view bytes);
};

}  // namespace orrery::sql
