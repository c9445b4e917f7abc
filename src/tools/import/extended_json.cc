#include "tools/import/extended_json.h"

#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "json/text.h"

namespace orrery::tools {

namespace {

using json::Value;

Error bad_type(const std::string& type, const std::string& problem) {
    return Error(ErrorCode::kBadRequest, "extended JSON: " + type + " " + problem);
}

std::optional<std::int64_t> integer_of(const Value& value) {
    if (value.is_number()) return value.integer();
    const Value* const text = value.find("$numberLong");
    if (text != nullptr) return integer_of(*text);
    if (!value.is_string()) return std::nullopt;
    const std::string& digits = value.string();
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return out;
}

Result<Value> text_in(const std::string& type, const Value& value) {
    if (!value.is_string()) return bad_type(type, "must be a string");
    return value;
}

Result<Value> date_of(const std::string& type, const Value& value) {
    if (value.is_string()) return value;
    const auto milliseconds = integer_of(value);
    if (!milliseconds) return bad_type(type, "must be a string or milliseconds");
    return Value(TRY(print_timestamp(*milliseconds)));
}

// A number where JSON has it, otherwise its name: NaN, Infinity.
Result<Value> number_of(const std::string& type, const Value& value) {
    if (value.is_number()) return value;
    if (!value.is_string()) return bad_type(type, "must be a number in a string");
    const std::string& text = value.string();
    const bool number = !text.empty() && json::number_length(text) == text.size();
    if (number) return Value::parse(text);
    return value;
}

Result<Value> binary_of(const std::string& type, const Value& value) {
    if (value.is_string()) return value;
    const Value* const bytes = value.find("base64");
    if (bytes == nullptr || !bytes->is_string()) return bad_type(type, "has no base64");
    return *bytes;
}

Result<Value> regex_of(const std::string& type, const Value& whole) {
    const Value* const inner = whole.find("$regularExpression");
    const Value* const pattern = inner ? inner->find("pattern") : whole.find("$regex");
    const Value* const options = inner ? inner->find("options") : whole.find("$options");
    if (pattern == nullptr || !pattern->is_string()) return bad_type(type, "has no pattern");
    const bool flagged = options != nullptr && options->is_string();
    return Value("/" + pattern->string() + "/" + (flagged ? options->string() : std::string()));
}

bool is_type(const Value::Object& members) {
    return !members.empty() && members.size() <= 2 && members.front().name.starts_with('$');
}

// Nothing if it is an ordinary object.
Result<std::optional<Value>> typed(const Value& whole) {
    const std::string& type = whole.object().front().name;
    const Value& value = whole.object().front().value;
    const bool alone = whole.object().size() == 1;
    if (type == "$binary") return std::optional(TRY(binary_of(type, value)));
    if (type == "$regex" || type == "$regularExpression") {
        return std::optional(TRY(regex_of(type, whole)));
    }
    if (type == "$code" && !alone) return bad_type(type, "with a scope has no counterpart in JSON");
    if (!alone) return std::optional<Value>();
    if (type == "$oid" || type == "$uuid" || type == "$symbol" || type == "$code") {
        return std::optional(TRY(text_in(type, value)));
    }
    if (type == "$date") return std::optional(TRY(date_of(type, value)));
    if (type == "$numberLong" || type == "$numberInt" || type == "$numberDouble" ||
        type == "$numberDecimal") {
        return std::optional(TRY(number_of(type, value)));
    }
    if (type == "$undefined") return std::optional(Value());
    if (type == "$timestamp") return std::optional(value);
    if (type == "$minKey" || type == "$maxKey" || type == "$dbPointer") {
        return bad_type(type, "has no counterpart in JSON");
    }
    return std::optional<Value>();
}

}  // namespace

Result<Value> to_plain_json(Value value) {
    if (value.is_array()) {
        Value::Array elements;
        for (Value& element : value.array()) {
            elements.push_back(TRY(to_plain_json(std::move(element))));
        }
        return Value(std::move(elements));
    }
    if (!value.is_object()) return value;
    if (is_type(value.object())) {
        auto plain = TRY(typed(value));
        if (plain) return *std::move(plain);
    }
    Value::Object members;
    for (const Value::Member& member : value.object()) {
        members.push_back({member.name, TRY(to_plain_json(member.value))});
    }
    return Value(std::move(members));
}

Result<std::string> print_timestamp(std::int64_t milliseconds) {
    using std::chrono::days;
    using std::chrono::floor;
    constexpr std::int64_t kYearZero = -62'167'219'200'000;
    constexpr std::int64_t kYearMax = 253'402'300'799'999;
    if (milliseconds < kYearZero || milliseconds > kYearMax) {
        return bad_type("$date", "is outside the years 0 to 9999");
    }
    const std::chrono::sys_time<std::chrono::milliseconds> time{
        std::chrono::milliseconds(milliseconds)};
    const auto day = floor<days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(time - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z",
                       static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()),
                       clock.hours().count(),
                       clock.minutes().count(),
                       clock.seconds().count(),
                       clock.subseconds().count());
}

}  // namespace orrery::tools
