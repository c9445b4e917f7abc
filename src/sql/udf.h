// User-defined functions as queries see them. The query engine does not know their language or
// where they run: the code that runs a query supplies the caller.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "sql/arena.h"
#include "sql/value.h"

namespace orrery::sql {

// Used for one query, on the thread that runs it.
class UdfCaller {
public:
    UdfCaller() = default;
    UdfCaller(const UdfCaller&) = delete;
    UdfCaller& operator=(const UdfCaller&) = delete;
    virtual ~UdfCaller() = default;

    // The number by which call() knows the function; nothing when no function has exactly this
    // name. May be called again for the same name. An error means that the function exists but
    // cannot be called.
    virtual Result<std::optional<std::size_t>> find(std::string_view name) = 0;

    // What the result points to must live until the next call; the arena is for parsing arguments
    // and for data that lives as long as they do. An error ends the query.
    virtual Result<Value> call(std::size_t udf, std::span<const Value> arguments, Arena& arena) = 0;
};

}  // namespace orrery::sql
