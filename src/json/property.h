// Nested properties of JSON values, by their paths.

#pragma once

#include "base/result.h"
#include "json/path.h"
#include "json/value.h"

namespace orrery::json {

// Null pointer when there is none.
const Value* find_at(const Value& value, const Path& path);

// Sets a property, in objects that are added where there is nothing. kBadRequest if something else
// than an object is in the way.
Status set_at(Value& object, const Path& path, Value value);

// "/address/city", for messages.
std::string printed_path(const Path& path);

}  // namespace orrery::json
