#include "sql/value.h"

#include <algorithm>
#include <vector>

#include "json/text.h"
#include "json/walk.h"

namespace orrery::sql {

namespace {

std::string_view unquoted(std::string_view quoted, Arena& arena) {
    const std::string_view inside = quoted.substr(1, quoted.size() - 2);
    if (inside.find('\\') == std::string_view::npos) return inside;
    return arena.copy(json::unquote(quoted));
}

// UTF-8 sorts like UTF-16 except for characters beyond U+FFFF, whose surrogates sort before U+E000.
// Maps lead bytes to that order.
unsigned char utf16_rank(char byte) {
    const auto b = static_cast<unsigned char>(byte);
    if (b < 0xEE) return b;
    return b < 0xF0 ? static_cast<unsigned char>(b + 5) : static_cast<unsigned char>(b - 2);
}

const Value* find(std::span<const Member> members, std::string_view name, std::size_t likely) {
    if (likely < members.size() && members[likely].name == name) return &members[likely].value;
    for (const Member& member : members) {
        if (member.name == name) return &member.value;
    }
    return nullptr;
}

// Members of equal objects are usually in the same order; where they are not and there are many,
// sorting beats searching.
bool equal_members(std::span<const Member> a, std::span<const Member> b, Arena& arena) {
    constexpr std::size_t kSearchMax = 32;
    if (a.size() != b.size() || !arena.count(a.size())) return false;
    if (a.size() <= kSearchMax) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            const Value* other = find(b, a[i].name, i);
            if (other == nullptr || !equal(a[i].value, *other, arena)) return false;
        }
        return true;
    }
    std::vector<Member> x(a.begin(), a.end());
    std::vector<Member> y(b.begin(), b.end());
    const auto by_name = [](const Member& m, const Member& n) { return m.name < n.name; };
    std::sort(x.begin(), x.end(), by_name);
    std::sort(y.begin(), y.end(), by_name);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i].name != y[i].name || !equal(x[i].value, y[i].value, arena)) return false;
    }
    return true;
}

bool append_elements(std::string& out, std::span<const Value> elements, Arena& arena) {
    out += '[';
    for (std::size_t i = 0; i < elements.size(); ++i) {
        if (i > 0) out += ',';
        if (!append_json(out, elements[i], arena)) return false;
    }
    out += ']';
    return true;
}

bool append_members(std::string& out, std::span<const Member> members, Arena& arena) {
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (i > 0) out += ',';
        json::append_quoted(out, members[i].name);
        out += ':';
        if (!append_json(out, members[i].value, arena)) return false;
    }
    out += '}';
    return true;
}

}  // namespace

Value Value::number(json::Number value) {
    const json::Number normal = value.normalized();
    Value out(Kind::kNumber);
    if (normal.is_integer()) {
        out.integer_ = normal.integer();
    } else {
        out.form_ = Form::kReal;
        out.real_ = normal.real();
    }
    return out;
}

Value Value::string(std::string_view utf8) {
    Value out(Kind::kString);
    out.size_ = static_cast<std::uint32_t>(utf8.size());
    out.text_ = utf8.data();
    return out;
}

Value Value::array(std::span<const Value> elements) {
    Value out(Kind::kArray);
    out.size_ = static_cast<std::uint32_t>(elements.size());
    out.elements_ = elements.data();
    return out;
}

Value Value::object(std::span<const Member> members) {
    Value out(Kind::kObject);
    out.size_ = static_cast<std::uint32_t>(members.size());
    out.members_ = members.data();
    return out;
}

Value Value::from_json(std::string_view text, Arena& arena, json::NumberForm numbers) {
    CHECK(!text.empty());
    switch (text.front()) {
        case '"':
            return string(unquoted(text, arena));
        case 'n':
            return null();
        case 't':
            return boolean(true);
        case 'f':
            return boolean(false);
        case '[':
        case '{': {
            Value out(text.front() == '[' ? Kind::kArray : Kind::kObject);
            out.form_ = Form::kText;
            out.numbers_ = numbers;
            out.size_ = static_cast<std::uint32_t>(text.size());
            out.text_ = text.data();
            return out;
        }
        default:
            return number(json::Number::parse(text));
    }
}

std::span<const Value> Value::elements(Arena& arena) const {
    if (form_ != Form::kText) return {elements_, size_};
    if (!arena.count_bytes(size_)) return {};
    std::size_t count = 0;
    for (json::Walk walk({text_, size_}); walk.next();) {
        ++count;
    }
    const std::span<Value> out = arena.array<Value>(count);
    json::Walk walk({text_, size_});
    for (Value& element : out) {
        element = from_json(walk.next()->value, arena, numbers_);
    }
    return out;
}

std::span<const Member> Value::members(Arena& arena) const {
    if (form_ != Form::kText) return {members_, size_};
    if (!arena.count_bytes(size_)) return {};
    std::size_t count = 0;
    for (json::Walk walk({text_, size_}); walk.next();) {
        ++count;
    }
    const std::span<Member> out = arena.array<Member>(count);
    json::Walk walk({text_, size_});
    for (Member& member : out) {
        const auto piece = walk.next();
        member = {unquoted(piece->name, arena), from_json(piece->value, arena, numbers_)};
    }
    return out;
}

Value Value::member(std::string_view name, Arena& arena) const {
    if (kind_ != Kind::kObject) return undefined();
    if (form_ == Form::kText) {
        if (!arena.count_bytes(size_)) return undefined();
        const auto found = json::find_member({text_, size_}, name);
        return found ? from_json(*found, arena, numbers_) : undefined();
    }
    const Value* found = find({members_, size_}, name, size_);
    return found == nullptr ? undefined() : *found;
}

Value Value::element(std::uint64_t index, Arena& arena) const {
    if (kind_ != Kind::kArray) return undefined();
    if (form_ != Form::kText) return index < size_ ? elements_[index] : undefined();
    if (!arena.count_bytes(size_)) return undefined();
    json::Walk walk({text_, size_});
    while (auto piece = walk.next()) {
        if (index-- == 0) return from_json(piece->value, arena, numbers_);
    }
    return undefined();
}

bool equal(const Value& a, const Value& b, Arena& arena) {
    if (a.kind() != b.kind() || !arena.count()) return false;
    switch (a.kind()) {
        case Kind::kUndefined:
        case Kind::kNull:
            return true;
        case Kind::kBoolean:
            return a.boolean() == b.boolean();
        case Kind::kNumber:
            return a.number() == b.number();
        case Kind::kString:
            return a.string().size() == b.string().size() && arena.count_bytes(a.string().size()) &&
                   a.string() == b.string();
        case Kind::kArray: {
            const auto x = a.elements(arena);
            const auto y = b.elements(arena);
            return std::equal(
                x.begin(), x.end(), y.begin(), y.end(), [&](const Value& v, const Value& w) {
                    return equal(v, w, arena);
                });
        }
        case Kind::kObject:
            return equal_members(a.members(arena), b.members(arena), arena);
    }
    return false;
}

std::strong_ordering compare_utf16(std::string_view a, std::string_view b) {
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (x == a.end() || y == b.end()) return a.size() <=> b.size();
    return utf16_rank(*x) <=> utf16_rank(*y);
}

std::strong_ordering compare_scalars(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) return a.kind() <=> b.kind();
    switch (a.kind()) {
        case Kind::kBoolean:
            return a.boolean() <=> b.boolean();
        case Kind::kNumber: {
            const std::partial_ordering order = a.number() <=> b.number();
            if (order < 0) return std::strong_ordering::less;
            return order > 0 ? std::strong_ordering::greater : std::strong_ordering::equal;
        }
        case Kind::kString:
            return compare_utf16(a.string(), b.string());
        default:
            return std::strong_ordering::equal;
    }
}

Value copy(const Value& value, Arena& to) {
    if (!to.count()) return Value::undefined();
    if (const auto text = value.raw()) {
        return Value::from_json(to.copy(*text), to, value.numbers());
    }
    switch (value.kind()) {
        case Kind::kString:
            if (!to.count_bytes(value.string().size())) return Value::undefined();
            return Value::string(to.copy(value.string()));
        case Kind::kArray: {
            const auto from = value.elements(to);
            const auto out = to.array<Value>(from.size());
            for (std::size_t i = 0; i < from.size(); ++i) {
                out[i] = copy(from[i], to);
            }
            return Value::array(out);
        }
        case Kind::kObject: {
            const auto from = value.members(to);
            const auto out = to.array<Member>(from.size());
            for (std::size_t i = 0; i < from.size(); ++i) {
                out[i] = {to.copy(from[i].name), copy(from[i].value, to)};
            }
            return Value::object(out);
        }
        default:
            return value;
    }
}

bool append_json(std::string& out, const Value& value, Arena& arena) {
    // A value can contain the same part many times over and print to far more than it takes here.
    if (!arena.count() || !arena.has_room(out.size())) return false;
    if (const auto text = value.raw()) {
        if (!arena.count_bytes(text->size())) return false;
        if (value.numbers() == json::NumberForm::kUnknown) {
            return json::append_with_plain_numbers(out, *text);
        }
        out += *text;
        return true;
    }
    switch (value.kind()) {
        case Kind::kUndefined:
            return true;
        case Kind::kNull:
            out += "null";
            return true;
        case Kind::kBoolean:
            out += value.boolean() ? "true" : "false";
            return true;
        case Kind::kNumber:
            json::append_number(out, value.number());
            return value.number().is_finite();
        case Kind::kString:
            json::append_quoted(out, value.string());
            return arena.count_bytes(value.string().size());
        case Kind::kArray:
            return append_elements(out, value.elements(arena), arena);
        case Kind::kObject:
            return append_members(out, value.members(arena), arena);
    }
    return false;
}

}  // namespace orrery::sql
