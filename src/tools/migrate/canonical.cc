#include "tools/migrate/canonical.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <vector>

#include "json/text.h"

namespace orrery::tools {

namespace {

using json::Value;

// An exponent that no number of digits can make up for is kept as it is.
constexpr std::size_t kExponentDigitsMax = 12;

void append(std::string& out, const Value& value);

void append_members(std::string& out, const Value& value) {
    std::vector<const Value::Member*> members;
    for (const Value::Member& member : value.object()) {
        members.push_back(&member);
    }
    std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) {
        return a->name < b->name;
    });
    out += '{';
    for (const Value::Member* const member : members) {
        if (out.back() != '{') out += ',';
        json::append_quoted(out, member->name);
        out += ':';
        append(out, member->value);
    }
    out += '}';
}

void append(std::string& out, const Value& value) {
    if (value.is_object()) {
        append_members(out, value);
    } else if (value.is_array()) {
        out += '[';
        for (const Value& element : value.array()) {
            if (&element != &value.array().front()) out += ',';
            append(out, element);
        }
        out += ']';
    } else if (value.is_number()) {
        out += canonical_number(value.text());
    } else {
        out += value.text();
    }
}

}  // namespace

std::string canonical_number(std::string_view number) {
    const bool negative = number.starts_with('-');
    std::string_view mantissa = number.substr(negative ? 1 : 0);
    std::int64_t exponent = 0;
    if (const std::size_t at = mantissa.find_first_of("eE"); at != mantissa.npos) {
        std::string_view digits = mantissa.substr(at + 1);
        if (digits.starts_with('+')) digits.remove_prefix(1);
        if (digits.size() > kExponentDigitsMax) return std::string(number);
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
        mantissa = mantissa.substr(0, at);
    }
    std::string digits;
    const std::size_t point = mantissa.find('.');
    digits.append(mantissa.substr(0, point));
    if (point != mantissa.npos) {
        const std::string_view fraction = mantissa.substr(point + 1);
        digits.append(fraction);
        exponent -= static_cast<std::int64_t>(fraction.size());
    }
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    while (digits.ends_with('0')) {
        digits.pop_back();
        ++exponent;
    }
    if (digits.empty()) return "0";
    return (negative ? "-" : "") + digits + "e" + std::to_string(exponent);
}

std::string canonical_text(const Value& value) {
    std::string out;
    append(out, value);
    return out;
}

std::string Checksum::text() const {
    std::string out(33, '\0');
    std::snprintf(out.data(),
                  out.size(),
                  "%016llx%016llx",
                  static_cast<unsigned long long>(high),
                  static_cast<unsigned long long>(low));
    out.pop_back();
    return out;
}

}  // namespace orrery::tools
