#include "sql/index_value.h"

#include "sql/distinct.h"

namespace orrery::sql {

void append_encoded(std::string& out, const Value& value, Arena& arena) {
    switch (value.kind()) {
        case Kind::kUndefined:
            return index::append_undefined(out);
        case Kind::kNull:
            return index::append_null(out);
        case Kind::kBoolean:
            return index::append_boolean(out, value.boolean());
        case Kind::kNumber:
            return index::append_number(out, value.number());
        case Kind::kString:
            return index::append_string(out, value.string());
        case Kind::kArray:
            return index::append_container(out, index::Tag::kArray, distinct_hash(value, arena));
        case Kind::kObject:
            return index::append_container(out, index::Tag::kObject, distinct_hash(value, arena));
    }
}

std::string encode(const Value& value, Arena& arena) {
    std::string out;
    append_encoded(out, value, arena);
    return out;
}

std::optional<Value> decode(std::string_view encoded, Arena& arena) {
    std::string scratch;
    const auto decoded = index::decode_value(encoded, scratch);
    if (!decoded || !decoded->exact) return std::nullopt;
    switch (decoded->tag) {
        case index::Tag::kUndefined:
            return Value::undefined();
        case index::Tag::kNull:
            return Value::null();
        case index::Tag::kFalse:
            return Value::boolean(false);
        case index::Tag::kTrue:
            return Value::boolean(true);
        case index::Tag::kNumber:
            return Value::number(decoded->number);
        case index::Tag::kString:
            return Value::string(arena.copy(decoded->text));
        default:
            return std::nullopt;
    }
}

}  // namespace orrery::sql
