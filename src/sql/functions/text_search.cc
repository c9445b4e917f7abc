#include "sql/functions/text_search.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unicode/uchar.h>

#include "base/ascii.h"
#include "base/utf8.h"

namespace orrery::sql {

namespace {

char32_t folded(char32_t c) {
    return static_cast<char32_t>(u_foldCase(static_cast<UChar32>(c), U_FOLD_CASE_DEFAULT));
}

char32_t take_folded(std::string_view& rest) {
    const auto lead = static_cast<unsigned char>(rest.front());
    if (lead < 0x80) {
        rest.remove_prefix(1);
        return static_cast<unsigned char>(lower(static_cast<char>(lead)));
    }
    return folded(take_code_point(rest).value_or(kReplacementCharacter));
}

// The rest of the text after `start`; nothing when it does not begin with that.
std::optional<std::string_view> without_start(std::string_view text, std::string_view start) {
    while (!start.empty()) {
        if (text.empty() || take_folded(text) != take_folded(start)) return std::nullopt;
    }
    return text;
}

bool is_character_start(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80; }

}  // namespace

std::size_t find_text(std::string_view text, std::string_view wanted, std::size_t from) {
    if (from > text.size()) return kNowhere;
    if (wanted.empty()) return from;
    const char* const start = text.data() + from;
    const std::size_t size = text.size() - from;
    const void* found = wanted.size() == 1 ? std::memchr(start, wanted.front(), size)
                                           : memmem(start, size, wanted.data(), wanted.size());
    if (found == nullptr) return kNowhere;
    return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

std::size_t find_last_text(std::string_view text, std::string_view wanted) {
    constexpr std::size_t kShort = 16;
    if (wanted.size() <= kShort) return text.rfind(wanted);
    const std::string backwards(text.rbegin(), text.rend());
    const std::string wanted_backwards(wanted.rbegin(), wanted.rend());
    const std::size_t found = find_text(backwards, wanted_backwards);
    return found == kNowhere ? kNowhere : text.size() - found - wanted.size();
}

std::string fold_case(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const char32_t c = take_folded(text);
        if (c < 0x80) {
            out += static_cast<char>(c);
        } else {
            append_utf8(out, c);
        }
    }
    return out;
}

bool starts_with_any_case(std::string_view text, std::string_view start) {
    return without_start(text, start).has_value();
}

bool ends_with_any_case(std::string_view text, std::string_view end) {
    // Folding keeps the number of characters, so comparing the last ones suffices.
    auto characters = std::count_if(end.begin(), end.end(), is_character_start);
    std::size_t from = text.size();
    while (characters > 0 && from > 0) {
        --from;
        if (is_character_start(text[from])) --characters;
    }
    return characters == 0 && equal_any_case(text.substr(from), end);
}

bool equal_any_case(std::string_view a, std::string_view b) {
    const auto rest = without_start(a, b);
    return rest && rest->empty();
}

}  // namespace orrery::sql
