// A JSON value as a tree, for the small documents of the control plane (container definitions,
// offers). Members keep their order, numbers their digits. Items are stored and sent as text and
// take this form only to lose duplicate names.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "json/scan.h"

namespace orrery::json {

class Value {
public:
    struct Member;
    using Array = std::vector<Value>;
    using Object = std::vector<Member>;

    Value();                       // null
    Value(bool boolean);           // NOLINT: implicit, as are the others
    Value(std::int64_t number);    // NOLINT
    Value(int number);             // NOLINT
    Value(std::string text);       // NOLINT
    Value(std::string_view text);  // NOLINT
    Value(const char* text);       // NOLINT
    Value(Array elements);         // NOLINT
    Value(Object members);         // NOLINT

    // Of duplicate names the last value wins, at the position of the first.
    static Result<Value> parse(std::string_view text, int depth_max = kDepthMax);

    Kind kind() const;
    bool is_null() const { return kind() == Kind::kNull; }
    bool is_bool() const { return kind() == Kind::kTrue || kind() == Kind::kFalse; }
    bool is_number() const { return kind() == Kind::kNumber; }
    bool is_string() const { return kind() == Kind::kString; }
    bool is_array() const { return kind() == Kind::kArray; }
    bool is_object() const { return kind() == Kind::kObject; }

    // Calling the accessor of another kind is a bug.
    bool boolean() const { return std::get<bool>(state_); }
    const std::string& string() const { return std::get<std::string>(state_); }
    const Array& array() const { return std::get<Array>(state_); }
    Array& array() { return std::get<Array>(state_); }
    const Object& object() const;
    double number() const;

    // The number as an integer, if it is integral and fits ("2" and "2.0" are, "2.5" is not).
    std::optional<std::int64_t> integer() const;

    // The member of an object; null pointer when there is none, and for anything else.
    const Value* find(std::string_view name) const;
    // Replaces the member in place or appends it; removing a missing one does nothing.
    void set(std::string_view name, Value value);
    void remove(std::string_view name);

    void append_text(std::string& out) const;
    std::string text() const;

    // Compares members in any order, numbers by value.
    friend bool operator==(const Value& a, const Value& b);

private:
    friend class TreeBuilder;
    struct Number {
        std::string digits;
    };

    std::variant<std::monostate, bool, Number, std::string, Array, Object> state_;
};

struct Value::Member {
    std::string name;
    Value value;
};

// Validates and minifies the text. Drops duplicate names as Value::parse() does; text without
// duplicates keeps its digits and escapes.
Result<std::string> normalize(std::string_view text, int depth_max = kDepthMax);

inline Value::Value() = default;
inline Value::Value(bool boolean) : state_(boolean) {}
inline Value::Value(std::int64_t number) : state_(Number{std::to_string(number)}) {}
inline Value::Value(int number) : Value(std::int64_t{number}) {}
inline Value::Value(std::string text) : state_(std::move(text)) {}
inline Value::Value(std::string_view text) : state_(std::string(text)) {}
inline Value::Value(const char* text) : state_(std::string(text)) {}
inline Value::Value(Array elements) : state_(std::move(elements)) {}
inline Value::Value(Object members) : state_(std::move(members)) {}

}  // namespace orrery::json
