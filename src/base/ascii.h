// Locale-independent case conversion of ASCII letters: header values, verbs, keywords.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace orrery {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

inline std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
    return out;
}

// Equal ignoring case.
constexpr bool same_word(std::string_view a, std::string_view b) {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
               return lower(x) == lower(y);
           });
}

}  // namespace orrery
