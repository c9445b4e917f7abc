// Functions that build longer strings, or arrays, from strings. Each computes the size of its
// result before building it.

#include <cmath>
#include <cstring>
#include <string>

#include "json/text.h"
#include "json/walk.h"
#include "model/limits.h"
#include "sql/functions/arguments.h"
#include "sql/functions/groups.h"
#include "sql/functions/room.h"
#include "sql/functions/text_search.h"
#include "sql/functions/utf16.h"

namespace orrery::sql {

namespace {

using Arguments = std::span<const Value>;

// Fills a buffer whose size has been computed.
class Filler {
public:
    explicit Filler(std::span<char> room) : room_(room) {}

    void append(std::string_view text) {
        CHECK(text.size() <= room_.size() - used_);
        if (!text.empty()) std::memcpy(room_.data() + used_, text.data(), text.size());
        used_ += text.size();
    }
    Value result() const {
        CHECK(used_ == room_.size());
        return Value::string({room_.data(), room_.size()});
    }

private:
    std::span<char> room_;
    std::size_t used_ = 0;
};

// Strings joined by a separator.
Value joined(std::span<const Value> strings, std::string_view separator, FunctionContext& context) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < strings.size(); ++i) {
        if (!strings[i].is_string()) return Value::undefined();
        bytes += strings[i].string().size() + (i > 0 ? separator.size() : 0);
    }
    const auto room = string_room(bytes, context);
    if (!room) return Value::undefined();
    Filler filler(*room);
    for (std::size_t i = 0; i < strings.size(); ++i) {
        if (i > 0) filler.append(separator);
        filler.append(strings[i].string());
    }
    return filler.result();
}

Value concat(Arguments arguments, FunctionContext& context) {
    return joined(arguments, "", context);
}

Value string_join(Arguments arguments, FunctionContext& context) {
    return joined(arguments[0].elements(context.arena), arguments[1].string(), context);
}

// `wanted` must not be empty.
std::size_t count_text(std::string_view text, std::string_view wanted) {
    std::size_t count = 0;
    for (std::size_t at = find_text(text, wanted); at != kNowhere;
         at = find_text(text, wanted, at + wanted.size())) {
        ++count;
    }
    return count;
}

Value replace(Arguments arguments, FunctionContext& context) {
    const std::string_view text = arguments[0].string();
    const std::string_view wanted = arguments[1].string();
    const std::string_view by = arguments[2].string();
    if (wanted.empty()) return Value::undefined();
    const std::size_t count = count_text(text, wanted);
    if (count == 0) return arguments[0];
    // All three are shorter than 2^32, so this cannot overflow.
    const auto room = string_room(text.size() - count * wanted.size() + count * by.size(), context);
    if (!room) return Value::undefined();
    Filler filler(*room);
    std::size_t from = 0;
    for (std::size_t at = find_text(text, wanted); at != kNowhere;
         at = find_text(text, wanted, from)) {
        filler.append(text.substr(from, at - from));
        filler.append(by);
        from = at + wanted.size();
    }
    filler.append(text.substr(from));
    return filler.result();
}

Value replicate(Arguments arguments, FunctionContext& context) {
    constexpr auto kUnitsMax = model::limits::kReplicateUnitsMax;
    const std::string_view text = arguments[0].string();
    const json::Number times = arguments[1].number();
    if (times < 0 || !times.is_finite()) return Value::undefined();
    const double count = std::trunc(times.real());
    if (static_cast<double>(utf16_length(text)) * count > static_cast<double>(kUnitsMax)) {
        return Value::undefined();
    }
    if (text.empty() || count == 0) return Value::string("");
    const auto repetitions = static_cast<std::size_t>(count);
    const auto room = string_room(text.size() * repetitions, context);
    if (!room) return Value::undefined();
    Filler filler(*room);
    for (std::size_t i = 0; i < repetitions; ++i) {
        filler.append(text);
    }
    return filler.result();
}

// The pieces point into the string itself.
Value string_split(Arguments arguments, FunctionContext& context) {
    const std::string_view text = arguments[0].string();
    const std::string_view delimiter = arguments[1].string();
    const std::size_t cuts = delimiter.empty() ? 0 : count_text(text, delimiter);
    const auto room = array_room(cuts + 1, context);
    if (!room) return Value::undefined();
    std::size_t from = 0;
    for (Value& piece : room->first(cuts)) {
        const std::size_t at = find_text(text, delimiter, from);
        piece = Value::string(text.substr(from, at - from));
        from = at + delimiter.size();
    }
    room->back() = Value::string(text.substr(from));
    return Value::array(*room);
}

// Prints as results are printed, but stops when the text gets too long: a value can contain the
// same part many times over and print to far more than it takes in memory. Numbers that JSON cannot
// represent become words.
class Printer {
public:
    explicit Printer(FunctionContext& context) : context_(context) {}

    // False when it is too long: context.error is then set, or the budget is used up.
    bool append(const Value& value) {
        if (!fits_string(text_.size(), context_) || !context_.arena.count()) return false;
        switch (value.kind()) {
            case Kind::kArray:
                return append_raw(value) || append_elements(value);
            case Kind::kObject:
                return append_raw(value) || append_members(value);
            case Kind::kNumber:
                json::append_number(text_, value.number());
                return true;
            default:
                return append_json(text_, value, context_.arena);
        }
    }
    const std::string& text() const { return text_; }

private:
    // False when the value is not JSON text, a number in it needs a word, or a string could be
    // written another way: equal values must give equal strings.
    bool append_raw(const Value& value) {
        const auto raw = value.raw();
        if (!raw || raw->find('\\') != std::string_view::npos) return false;
        const std::size_t before = text_.size();
        if (value.numbers() == json::NumberForm::kAsPrinted) {
            text_ += *raw;
            return true;
        }
        if (json::append_with_plain_numbers(text_, *raw)) return true;
        text_.resize(before);
        return false;
    }

    bool append_elements(const Value& value) {
        text_ += '[';
        bool first = true;
        for (const Value& element : value.elements(context_.arena)) {
            if (!first) text_ += ',';
            first = false;
            if (!append(element)) return false;
        }
        text_ += ']';
        return true;
    }

    bool append_members(const Value& value) {
        text_ += '{';
        bool first = true;
        for (const Member& member : value.members(context_.arena)) {
            if (!first) text_ += ',';
            first = false;
            json::append_quoted(text_, member.name);
            text_ += ':';
            if (!append(member.value)) return false;
        }
        text_ += '}';
        return true;
    }

    FunctionContext& context_;
    std::string text_;
};

Value to_string(Arguments arguments, FunctionContext& context) {
    if (arguments[0].is_string()) return arguments[0];
    Printer printer(context);
    if (!printer.append(arguments[0])) return Value::undefined();
    return string_result(printer.text(), context);
}

constexpr Function kStringBuildFunctions[] = {
    {"CONCAT",
     2,
     kAnyNumber,
     "s",
     concat,
     "CONCAT(s, s, …)",
     "The strings concatenated.",
     {"CONCAT(\"Ferpal\", \"Ropes\")", "\"FerpalRopes\""}},
    {"REPLACE",
     3,
     3,
     "s",
     replace,
     "REPLACE(s, find, by)",
     "The string with every occurrence of a text replaced; undefined when the text is empty.",
     {"REPLACE(\"AdventureWorksLT\", \"LT\", \"LT2\")", "\"AdventureWorksLT2\""}},
    {"REPLICATE",
     2,
     2,
     "sn",
     replicate,
     "REPLICATE(s, n)",
     "The string `n` times; undefined when the result exceeds 10,000 characters.",
     {"REPLICATE(\"Cosmic\", 3)", "\"CosmicCosmicCosmic\""}},
    {"STRINGJOIN",
     2,
     2,
     "as",
     string_join,
     "STRINGJOIN(a, separator)",
     "The strings of an array with the separator between them; undefined when an element is not a "
     "string.",
     {"STRINGJOIN([\"Iropa\", \"Mountain\", \"Bike\"], \" \")", "\"Iropa Mountain Bike\""}},
    {"STRINGSPLIT",
     2,
     2,
     "s",
     string_split,
     "STRINGSPLIT(s, delimiter)",
     "The parts between the delimiters; the whole string when the delimiter is empty.",
     {"STRINGSPLIT(\"CARBON_STEEL\", \"_\")", "[\"CARBON\",\"STEEL\"]"}},
    {"TOSTRING",
     1,
     1,
     "d",
     to_string,
     "TOSTRING(e)",
     "A string unchanged, any other value as JSON.",
     {"TOSTRING([1, 2, 3])", "\"[1,2,3]\""}},
};

}  // namespace

std::span<const Function> string_build_functions() { return kStringBuildFunctions; }

}  // namespace orrery::sql
