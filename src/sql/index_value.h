// Query values in index encoding, and back.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "index/value_encoding.h"
#include "sql/arena.h"
#include "sql/value.h"

namespace orrery::sql {

void append_encoded(std::string& out, const Value& value, Arena& arena);
std::string encode(const Value& value, Arena& arena);

// The same with strings in full, so that all values sort as ORDER BY does.
void append_sortable(std::string& out, const Value& value, Arena& arena);

// Nothing when the index does not hold the whole value (arrays, objects, long strings), or for
// invalid bytes. Strings live in the arena.
std::optional<Value> decode(std::string_view encoded, Arena& arena);

}  // namespace orrery::sql
