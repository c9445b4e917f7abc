#include "sql/index_value.h"

#include "sql/distinct.h"

namespace orrery::sql {

void append_encoded(std::string& out, const Value& value, Arena& arena) {
    switch (value.kind()) {
        case Kind::kUndefined:
            return index::encode_undefined(out);
        case Kind::kNull:
            return index::encode_null(out);
        case Kind::kBoolean:
            return index::encode_boolean(out, value.boolean());
        case Kind::kNumber:
            return index::encode_number(out, value.number());
        case Kind::kString:
            return index::encode_string(out, value.string());
        case Kind::kArray:
            return index::encode_container(out, index::Tag::kArray, distinct_hash(value, arena));
        case Kind::kObject:
            return index::encode_container(out, index::Tag::kObject, distinct_hash(value, arena));
    }
}

void append_sortable(std::string& out, const Value& value, Arena& arena) {
    if (value.is_string()) return index::encode_whole_string(out, value.string());
    append_encoded(out, value, arena);
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
