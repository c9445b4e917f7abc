#include "json/property.h"

#include <span>

namespace orrery::json {

namespace {

using Names = std::span<const std::string>;

// The name in the way, or empty.
std::string set_below(Value& object, Names names, Value value) {
    const std::string& name = names.front();
    if (names.size() == 1) {
        object.set(name, std::move(value));
        return {};
    }
    const Value* const existing = object.find(name);
    if (existing != nullptr && !existing->is_object()) return name;
    Value child = existing != nullptr ? *existing : Value(Value::Object{});
    std::string in_the_way = set_below(child, names.subspan(1), std::move(value));
    if (in_the_way.empty()) object.set(name, std::move(child));
    return in_the_way;
}

}  // namespace

const Value* find_at(const Value& value, const Path& path) {
    const Value* at = &value;
    for (const std::string& name : path) {
        at = at->find(name);
        if (at == nullptr) return nullptr;
    }
    return at;
}

Status set_at(Value& object, const Path& path, Value value) {
    const std::string in_the_way = set_below(object, path, std::move(value));
    if (in_the_way.empty()) return {};
    return Error(ErrorCode::kBadRequest,
                 printed_path(path) + " cannot be set: " + in_the_way + " is not an object");
}

std::string printed_path(const Path& path) {
    std::string out;
    for (const std::string& name : path) {
        out += "/" + name;
    }
    return out;
}

}  // namespace orrery::json
