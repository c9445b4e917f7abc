// Partial updates of an item: the operations a client sends, and their effect on the item's JSON.
// They edit the text itself, so untouched parts keep every digit and every escape.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/container_definition.h"

namespace orrery::model {

// A JSON pointer: /tags/0, with ~1 for / and ~0 for ~ in names.
struct PatchPath {
    std::string text;
    std::vector<std::string> names;
};

struct PatchOperation {
    enum class Kind : std::uint8_t { kAdd, kSet, kReplace, kRemove, kIncrement, kMove };
    Kind kind = Kind::kAdd;
    PatchPath path;
    PatchPath from;     // for a move
    std::string value;  // JSON without whitespace; empty for remove and move
};

struct Patch {
    std::vector<PatchOperation> operations;
    // The end of a query, from FROM on: the item is changed only if the query selects it.
    std::optional<std::string> condition;
};

// From {"operations":[...],"condition":"from c where ..."} or the bare array. kBadRequest when it
// is neither, has too many operations, or an invalid one.
Result<Patch> parse_patch(std::string_view body);

// Refuses operations on what a patch may not change: the id, the partition key and the properties
// that the server sets.
Status check_patch(const Patch& patch, const PartitionKeyDefinition& partition_key);

// The item after all operations, each applied to the result of those before it. `item` is validated
// and minified JSON; so is the result, except for its depth and size. kBadRequest names the
// operation that does not apply.
Result<std::string> apply_patch(const Patch& patch, std::string_view item);

}  // namespace orrery::model
