#include "service/udf_calls.h"

#include "json/number.h"
#include "json/scan.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

using script::UdfValue;

// Arrays and objects from an item are already JSON; `text` holds those that the query built.
Result<UdfValue> to_script(const sql::Value& value, std::string& text, sql::Arena& arena) {
    switch (value.kind()) {
        case sql::Kind::kUndefined:
            return UdfValue::undefined();
        case sql::Kind::kNull:
            return UdfValue::null();
        case sql::Kind::kBoolean:
            return UdfValue::boolean(value.boolean());
        case sql::Kind::kNumber:
            return UdfValue::number(value.number().real());
        case sql::Kind::kString:
            return UdfValue::string(value.string());
        case sql::Kind::kArray:
        case sql::Kind::kObject:
            break;
    }
    if (const auto raw = value.raw()) return UdfValue::json(*raw);
    text.clear();
    if (!sql::append_json(text, value, arena)) {
        constexpr std::uint32_t kNotRepresentable = 4001;
        return bad_request(
            "An argument of a user-defined function contains a numeric value that cannot be "
            "represented in JSON (e.g. Infinity and NaN).",
            kNotRepresentable);
    }
    return UdfValue::json(text);
}

Result<sql::Value> from_script(const UdfValue& value, sql::Arena& arena) {
    switch (value.kind()) {
        case UdfValue::Kind::kUndefined:
            return sql::Value::undefined();
        case UdfValue::Kind::kNull:
            return sql::Value::null();
        case UdfValue::Kind::kBoolean:
            return sql::Value::boolean(value.boolean());
        case UdfValue::Kind::kNumber:
            return sql::Value::number(value.number());
        case UdfValue::Kind::kString:
            return sql::Value::string(value.text());
        case UdfValue::Kind::kJson:
            break;
    }
    // JavaScript allows deeper nesting than items may have, and strings that are not valid Unicode.
    const auto checked = json::check(value.text());
    if (!checked) {
        return bad_request("The result of a user-defined function is not valid: " +
                           std::string(checked.error().message()));
    }
    return sql::Value::from_json(value.text(), arena);
}

}  // namespace

Result<std::optional<std::size_t>> UdfCalls::find(std::string_view name) {
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    const script::Script* udf = TRY(lookup_(name));
    std::optional<std::size_t> number;
    if (udf != nullptr) number = TRY(session_.add(*udf));
    numbers_.emplace(name, number);
    return number;
}

Result<sql::Value> UdfCalls::call(std::size_t udf,
                                  std::span<const sql::Value> arguments,
                                  sql::Arena& arena) {
    // Resize before arguments point into the texts.
    if (texts_.size() < arguments.size()) texts_.resize(arguments.size());
    arguments_.clear();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        arguments_.push_back(TRY(to_script(arguments[i], texts_[i], arena)));
    }
    return from_script(TRY(session_.call(udf, arguments_)), arena);
}

}  // namespace orrery::service
