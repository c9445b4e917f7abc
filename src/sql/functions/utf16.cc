#include "sql/functions/utf16.h"

#include <algorithm>
#include <string>

#include "base/utf8.h"

namespace orrery::sql {

namespace {

constexpr bool is_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80;
}

// The lead byte of a character that takes two units.
constexpr bool starts_pair(char byte) { return static_cast<unsigned char>(byte) >= 0xF0; }

struct Position {
    std::size_t byte = 0;  // where the character starts
    bool in_pair = false;  // between its two units
};

Position seek(std::string_view text, std::size_t unit) {
    Position at;
    for (std::size_t units = 0; units < unit && at.byte < text.size();) {
        const bool pair = starts_pair(text[at.byte]);
        if (pair && units + 1 == unit) {
            at.in_pair = true;
            break;
        }
        units += pair ? 2 : 1;
        ++at.byte;
        while (at.byte < text.size() && is_continuation(text[at.byte])) {
            ++at.byte;
        }
    }
    return at;
}

std::size_t character_end(std::string_view text, std::size_t byte) {
    ++byte;
    while (byte < text.size() && is_continuation(text[byte])) {
        ++byte;
    }
    return byte;
}

}  // namespace

bool is_ascii(std::string_view text) {
    // Without an early exit the compiler can vectorise the loop.
    unsigned char all = 0;
    for (const char c : text) {
        all |= static_cast<unsigned char>(c);
    }
    return all < 0x80;
}

std::size_t utf16_length(std::string_view text) {
    std::size_t units = 0;
    for (const char c : text) {
        units += (is_continuation(c) ? 0U : 1U) + (starts_pair(c) ? 1U : 0U);
    }
    return units;
}

std::size_t utf16_offset(std::string_view text, std::size_t unit) {
    const Position at = seek(text, unit);
    return at.in_pair ? character_end(text, at.byte) : at.byte;
}

std::size_t utf16_offset_below(std::string_view text, std::size_t unit) {
    return seek(text, unit).byte;
}

std::string_view utf16_substring(std::string_view text, const Utf16Range& range, Arena& arena) {
    if (range.count == 0) return {};
    const Position from = seek(text, range.from);
    const std::string_view rest = text.substr(from.byte);
    const std::size_t in_rest = from.in_pair ? 1 : 0;  // units of the rest before the range
    const std::size_t room = rest.size() * 2;          // no text has more units than that
    const Position until = seek(rest, in_rest + std::min(range.count, room));
    if (!from.in_pair && !until.in_pair) return rest.substr(0, until.byte);

    std::string out;
    const std::size_t start = from.in_pair ? character_end(rest, 0) : 0;
    if (from.in_pair) append_utf8(out, kReplacementCharacter);
    if (until.byte > start) out += rest.substr(start, until.byte - start);
    if (until.in_pair) append_utf8(out, kReplacementCharacter);
    return arena.copy(out);
}

}  // namespace orrery::sql
