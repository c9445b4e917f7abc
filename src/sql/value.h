// A value during the evaluation of a query: sixteen bytes, copied freely. The data it points to
// (text, elements, members) lives in an Arena or in the item's text and must outlive it.
//
// Arrays and objects of an item stay JSON text until they are accessed; elements() and members()
// parse them one level at a time.

#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"
#include "json/number.h"
#include "sql/arena.h"

namespace orrery::sql {

// In the order of ORDER BY.
enum class Kind : std::uint8_t { kUndefined, kNull, kBoolean, kNumber, kString, kArray, kObject };

struct Member;

class Value {
public:
    constexpr Value() = default;  // undefined

    static constexpr Value undefined() { return {}; }
    static constexpr Value null() { return Value(Kind::kNull); }
    static constexpr Value boolean(bool value) {
        Value out(Kind::kBoolean);
        out.boolean_ = value;
        return out;
    }
    // Stored as an integer when integral, so that 1.0 prints and groups as 1.
    static Value number(json::Number value);
    static Value string(std::string_view utf8);
    static Value array(std::span<const Value> elements);
    // Names must be unique; undefined members must be omitted.
    static Value object(std::span<const Member> members);

    // Any JSON text that has been validated and minified, as items and parameters are stored.
    // Strings with escapes are unescaped into the arena.
    static Value from_json(std::string_view text,
                           Arena& arena,
                           json::NumberForm numbers = json::NumberForm::kUnknown);

    constexpr Kind kind() const { return kind_; }
    constexpr bool is_undefined() const { return kind_ == Kind::kUndefined; }
    constexpr bool is_defined() const { return kind_ != Kind::kUndefined; }
    constexpr bool is_null() const { return kind_ == Kind::kNull; }
    constexpr bool is_boolean() const { return kind_ == Kind::kBoolean; }
    constexpr bool is_number() const { return kind_ == Kind::kNumber; }
    constexpr bool is_string() const { return kind_ == Kind::kString; }
    constexpr bool is_array() const { return kind_ == Kind::kArray; }
    constexpr bool is_object() const { return kind_ == Kind::kObject; }
    constexpr bool is_true() const { return kind_ == Kind::kBoolean && boolean_; }
    constexpr bool is_false() const { return kind_ == Kind::kBoolean && !boolean_; }

    // Calling the accessor of another kind is a bug.
    bool boolean() const { return boolean_; }
    json::Number number() const {
        return form_ == Form::kReal ? json::Number(real_) : json::Number(integer_);
    }
    std::string_view string() const { return {text_, size_}; }
    std::span<const Value> elements(Arena& arena) const;
    std::span<const Member> members(Arena& arena) const;

    // The member of an object, the element of an array; else undefined.
    Value member(std::string_view name, Arena& arena) const;
    Value element(std::uint64_t index, Arena& arena) const;

    // The JSON text of an array or object that has not been parsed.
    std::optional<std::string_view> raw() const {
        if (form_ != Form::kText) return std::nullopt;
        return std::string_view(text_, size_);
    }
    // What is known of the numbers in that text.
    json::NumberForm numbers() const { return numbers_; }

private:
    enum class Form : std::uint8_t { kPlain, kReal, kText };

    constexpr explicit Value(Kind kind) : kind_(kind) {}

    Kind kind_ = Kind::kUndefined;
    Form form_ = Form::kPlain;
    json::NumberForm numbers_ = json::NumberForm::kUnknown;
    std::uint32_t size_ = 0;
    union {
        std::int64_t integer_ = 0;
        double real_;
        bool boolean_;
        const char* text_;
        const Value* elements_;
        const Member* members_;
    };
};

struct Member {
    std::string_view name;
    Value value;
};

// Structural equality: numbers by value, objects regardless of member order. Undefined equals
// undefined here; the = operator handles undefined before.
bool equal(const Value& a, const Value& b, Arena& arena);

// By UTF-16 code unit, as .NET and JavaScript compare.
std::strong_ordering compare_utf16(std::string_view a, std::string_view b);

// For two values that are neither arrays nor objects, in the total order of ORDER BY.
std::strong_ordering compare_scalars(const Value& a, const Value& b);

// A copy that lives in `to`, for values that outlive their row.
Value copy(const Value& value, Arena& to);

// As it appears in a result. False when it contains a number that JSON cannot represent; `out` is
// then unspecified. Undefined appends nothing. Also false when the budget is used up.
bool append_json(std::string& out, const Value& value, Arena& arena);

}  // namespace orrery::sql
