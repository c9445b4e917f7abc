#include "tools/shell/text.h"

#include <algorithm>
#include <unicode/uchar.h>

#include <fmt/format.h>

#include "base/utf8.h"

namespace orrery::tools {

namespace {

constexpr std::string_view kEllipsis = "…";

bool changes_direction(char32_t c) {
    return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
           (c >= 0x2066 && c <= 0x2069);
}

bool acts_on_terminals(char32_t c) {
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 ||
           changes_direction(c);
}

std::size_t width_of(char32_t c) {
    const auto code = static_cast<UChar32>(c);
    switch (u_charType(code)) {
        case U_NON_SPACING_MARK:
        case U_ENCLOSING_MARK:
            return 0;
        case U_FORMAT_CHAR:
            return c == 0xAD ? 1 : 0;  // a soft hyphen is shown
        default:
            break;
    }
    if (c >= 0x1160 && c <= 0x11FF) return 0;  // the vowels and finals of a Hangul syllable
    const int width = u_getIntPropertyValue(code, UCHAR_EAST_ASIAN_WIDTH);
    return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

void append_escaped(std::string& out, char32_t c) {
    switch (c) {
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default:
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto c = take_code_point(text);
        if (!c) {
            append_utf8(out, kReplacementCharacter);
        } else if (acts_on_terminals(*c)) {
            append_escaped(out, *c);
        } else {
            append_utf8(out, *c);
        }
    }
    return out;
}

std::size_t display_width(std::string_view text) {
    std::size_t out = 0;
    while (!text.empty()) {
        out += width_of(take_code_point(text).value_or(kReplacementCharacter));
    }
    return out;
}

std::string shortened(std::string_view text, std::size_t columns) {
    if (display_width(text) <= columns) return std::string(text);
    if (columns == 0) return {};
    std::size_t width = 0;
    std::string_view rest = text;
    std::size_t end = 0;
    while (!rest.empty()) {
        width += width_of(take_code_point(rest).value_or(kReplacementCharacter));
        if (width > columns - 1) break;
        end = text.size() - rest.size();
    }
    return std::string(text.substr(0, end)).append(kEllipsis);
}

std::vector<std::string> in_columns(const std::vector<std::string>& words, std::size_t width) {
    constexpr std::size_t kGap = 2;
    std::vector<std::string> shown;
    std::size_t widest = 0;
    for (const std::string& word : words) {
        shown.push_back(printable(word));
        widest = std::max(widest, display_width(shown.back()));
    }
    const std::size_t columns = std::max<std::size_t>(1, (width + kGap) / (widest + kGap));
    const std::size_t lines = (shown.size() + columns - 1) / columns;
    std::vector<std::string> out(lines);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        std::string& line = out[i % lines];
        line.append(i / lines * (widest + kGap) -
                        std::min(i / lines * (widest + kGap), display_width(line)),
                    ' ');
        line += shown[i];
    }
    return out;
}

}  // namespace orrery::tools
