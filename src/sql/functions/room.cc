#include "sql/functions/room.h"

#include <cstring>
#include <string>

#include "model/limits.h"

namespace orrery::sql {

namespace {

namespace limits = model::limits;

void refuse(std::string what, std::size_t maximum, FunctionContext& context) {
    context.error =
        Error(ErrorCode::kBadRequest,
              std::move(what) + " exceed the maximum of " + std::to_string(maximum) + ".");
}

bool has_budget(std::size_t bytes, FunctionContext& context) {
    return context.arena.has_room(bytes) && context.arena.count_bytes(bytes);
}

}  // namespace

std::optional<std::span<char>> string_room(std::size_t bytes, FunctionContext& context) {
    if (!fits_string(bytes, context) || !has_budget(bytes, context)) return std::nullopt;
    return context.arena.array<char>(bytes);
}

std::optional<std::span<Value>> array_room(std::size_t count, FunctionContext& context) {
    if (!fits_array(count, context) || !has_budget(count * sizeof(Value), context)) {
        return std::nullopt;
    }
    return context.arena.array<Value>(count);
}

std::optional<std::span<Member>> object_room(std::size_t count, FunctionContext& context) {
    if (!fits_array(count, context) || !has_budget(count * sizeof(Member), context)) {
        return std::nullopt;
    }
    return context.arena.array<Member>(count);
}

Value string_result(std::string_view text, FunctionContext& context) {
    const auto room = string_room(text.size(), context);
    if (!room) return Value::undefined();
    if (!text.empty()) std::memcpy(room->data(), text.data(), text.size());
    return Value::string({room->data(), room->size()});
}

bool fits_string(std::size_t bytes, FunctionContext& context) {
    if (bytes <= limits::kFunctionStringBytesMax) return true;
    refuse("The bytes of a string computed by a function of the query",
           limits::kFunctionStringBytesMax,
           context);
    return false;
}

bool fits_array(std::size_t count, FunctionContext& context) {
    if (count <= limits::kFunctionArrayElementsMax) return true;
    refuse("The elements of an array computed by a function of the query",
           limits::kFunctionArrayElementsMax,
           context);
    return false;
}

void refuse_nodes(FunctionContext& context) {
    refuse("The values compared by a function of the query", limits::kFunctionNodesMax, context);
}

}  // namespace orrery::sql
