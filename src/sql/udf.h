// User-defined functions as queries see them. The language does not know what they are written in
// or where they run: whoever runs a query brings the caller.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "sql/arena.h"
#include "sql/value.h"

namespace orrery::sql {

// For one query, on the thread that runs it.
class UdfCaller {
public:
    UdfCaller() = default;
    UdfCaller(const UdfCaller&) = delete;
    UdfCaller& operator=(const UdfCaller&) = delete;
    virtual ~UdfCaller() = default;

    // The number under which call() knows the function; nothing when none has this name, in this
    // case of letters. May be asked for the same name again. An error means that the function is
    // there and cannot be called.
    virtual Result<std::optional<std::size_t>> find(std::string_view name) = 0;

    // What the result points to has to live until the next call; the arena is there to take
    // arguments apart and for what lives as long as they do. An error ends the query.
    virtual Result<Value> call(std::size_t udf, std::span<const Value> arguments, Arena& arena) = 0;
};

}  // namespace orrery::sql
