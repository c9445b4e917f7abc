// Each of these is true or false for any argument, even undefined.

#include "sql/functions/arguments.h"
#include "sql/functions/date_time.h"
#include "sql/functions/groups.h"

namespace orrery::sql {

namespace {

using index::Tag;

bool is_array(const Value& value) { return value.is_array(); }
bool is_bool(const Value& value) { return value.is_boolean(); }
bool is_defined(const Value& value) { return value.is_defined(); }
bool is_null(const Value& value) { return value.is_null(); }
bool is_number(const Value& value) { return value.is_number(); }
bool is_object(const Value& value) { return value.is_object(); }
bool is_string(const Value& value) { return value.is_string(); }

bool is_primitive(const Value& value) {
    return value.is_defined() && !value.is_array() && !value.is_object();
}

bool is_finite_number(const Value& value) {
    return value.is_number() && value.number().is_finite();
}

// 5.0 is an integer as well: numbers do not remember how they were written.
bool is_integer(const Value& value) { return value.is_number() && whole(value).has_value(); }

bool is_date_time(const Value& value) {
    return value.is_string() && parse_date_time(value.string()).has_value();
}

template <bool (*Test)(const Value&)>
Value check(std::span<const Value> arguments, FunctionContext& /*context*/) {
    return Value::boolean(Test(arguments[0]));
}

constexpr Function kTypeCheckFunctions[] = {
    {"IS_ARRAY",
     1,
     1,
     "e",
     check<is_array>,
     "IS_ARRAY(e)",
     "Whether it is an array.",
     {"IS_ARRAY([25344, 82947])", "true"},
     {Search::Kind::kKinds, Tag::kArray, Tag::kArray}},
    {"IS_BOOL",
     1,
     1,
     "e",
     check<is_bool>,
     "IS_BOOL(e)",
     "Whether it is true or false.",
     {"IS_BOOL(false)", "true"},
     {Search::Kind::kKinds, Tag::kFalse, Tag::kTrue}},
    {"IS_DATETIME",
     1,
     1,
     "e",
     check<is_date_time>,
     "IS_DATETIME(e)",
     "Whether it is a string that the date and time functions accept.",
     {"IS_DATETIME(\"2024-12-12T20:21:25Z\")", "true"}},
    {"IS_DEFINED",
     1,
     1,
     "e",
     check<is_defined>,
     "IS_DEFINED(e)",
     "Whether it is anything but undefined.",
     {"IS_DEFINED(null)", "true"},
     kAnyDefined},
    {"IS_FINITE_NUMBER",
     1,
     1,
     "e",
     check<is_finite_number>,
     "IS_FINITE_NUMBER(e)",
     "Whether it is a number other than NaN and the infinities.",
     {"IS_FINITE_NUMBER(SQRT(-1))", "false"}},
    {"IS_INTEGER",
     1,
     1,
     "e",
     check<is_integer>,
     "IS_INTEGER(e)",
     "Whether it is a number without a fraction that fits 64 bits.",
     {"IS_INTEGER(9223372036854775807)", "true"}},
    {"IS_NULL",
     1,
     1,
     "e",
     check<is_null>,
     "IS_NULL(e)",
     "Whether it is null.",
     {"IS_NULL(null)", "true"},
     {Search::Kind::kKinds, Tag::kNull, Tag::kNull}},
    {"IS_NUMBER",
     1,
     1,
     "e",
     check<is_number>,
     "IS_NUMBER(e)",
     "Whether it is a number.",
     {"IS_NUMBER(\"65\")", "false"},
     {Search::Kind::kKinds, Tag::kNumber, Tag::kNumber}},
    {"IS_OBJECT",
     1,
     1,
     "e",
     check<is_object>,
     "IS_OBJECT(e)",
     "Whether it is an object.",
     {"IS_OBJECT({\"size\": \"small\"})", "true"},
     {Search::Kind::kKinds, Tag::kObject, Tag::kObject}},
    {"IS_PRIMITIVE",
     1,
     1,
     "e",
     check<is_primitive>,
     "IS_PRIMITIVE(e)",
     "Whether it is a string, a number, a boolean or null.",
     {"IS_PRIMITIVE([1])", "false"},
     {Search::Kind::kKinds, Tag::kNull, Tag::kString}},
    {"IS_STRING",
     1,
     1,
     "e",
     check<is_string>,
     "IS_STRING(e)",
     "Whether it is a string.",
     {"IS_STRING(\"AdventureWorks\")", "true"},
     {Search::Kind::kKinds, Tag::kString, Tag::kString}},
};

}  // namespace

std::span<const Function> type_check_functions() { return kTypeCheckFunctions; }

}  // namespace orrery::sql
