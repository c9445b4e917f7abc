#include "json/walk.h"

#include <algorithm>

#include "json/number.h"
#include "json/plain_run.h"
#include "json/text.h"

namespace orrery::json {

namespace {

// The end of an integer of at most 15 digits, if it starts at `at` and something follows it: the
// usual number, found in one pass. Else null.
const char* short_integer_end(const char* at, const char* end) {
    constexpr std::ptrdiff_t kDigitsMax = 15;
    const char* const digits = at;
    while (at != end && is_digit(*at)) {
        ++at;
    }
    const std::ptrdiff_t count = at - digits;
    if (at == end || count == 0 || count > kDigitsMax) return nullptr;
    const bool whole = *at == ',' || *at == '}' || *at == ']';
    const bool shortest = *digits != '0' || count == 1;
    return whole && shortest ? at : nullptr;
}

// The characters that numbers consist of, from `from` on.
std::string_view number_at(const char* from, const char* end) {
    const char* at = from;
    while (at != end &&
           (is_digit(*at) || *at == '.' || *at == '-' || *at == '+' || (*at | 0x20) == 'e')) {
        ++at;
    }
    return {from, static_cast<std::size_t>(at - from)};
}

// The place after the string that starts at `from`; null if it does not end.
const char* skip_string(const char* from, const char* end) {
    const char* at = plain_run_end(from + 1, end);
    while (at != end && *at == '\\') {
        at = end - at < 2 ? end : plain_run_end(at + 2, end);
    }
    return at == end ? nullptr : at + 1;
}

}  // namespace

std::optional<std::string_view> find_member(std::string_view object, std::string_view name) {
    Walk walk(object);
    while (auto piece = walk.next()) {
        if (quoted_equals(piece->name, name)) return piece->value;
    }
    return std::nullopt;
}

bool escaped_equals(std::string_view quoted, std::string_view plain) {
    return unquote(quoted) == plain;
}

bool append_with_plain_numbers(std::string& out, std::string_view json) {
    const char* copied = json.data();
    const char* const end = copied + json.size();
    for (const char* at = copied; at != end;) {
        if (*at == '"') {
            at = skip_string(at, end);
            if (at == nullptr) return false;
            if (at != end && (*at == ':' || *at == ',')) ++at;
        } else if (*at == '-' || is_digit(*at)) {
            if (const char* const past = short_integer_end(at, end)) {
                at = past;
                continue;
            }
            const std::string_view number = number_at(at, end);
            if (!prints_as_written(number)) {
                if (number_length(number) != number.size()) return false;
                const Number parsed = Number::parse(number);
                if (!parsed.is_finite()) return false;
                out.append(copied, at);
                append_number(out, parsed);
                copied = at + number.size();
            }
            at += number.size();
            if (at != end && *at != ',' && *at != ']' && *at != '}') return false;
        } else {
            ++at;
        }
    }
    out.append(copied, end);
    return true;
}

}  // namespace orrery::json
