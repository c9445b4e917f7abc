#include "base/utf8.h"

#include "base/check.h"

namespace orrery {

std::optional<char32_t> take_code_point(std::string_view& rest) {
    const auto lead = static_cast<unsigned char>(rest.front());
    const std::string_view tail = rest.substr(1);
    rest.remove_prefix(1);
    if (lead < 0x80) return lead;

    const std::size_t count = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4 || tail.size() < count) return std::nullopt;
    char32_t code_point = lead & (0x3FU >> count);
    for (const char c : tail.substr(0, count)) {
        const auto byte = static_cast<unsigned char>(c);
        if ((byte & 0xC0) != 0x80) return std::nullopt;
        code_point = code_point << 6 | (byte & 0x3FU);
    }
    constexpr char32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
    if (code_point < kSmallest[count] || !is_scalar_value(code_point)) return std::nullopt;
    rest.remove_prefix(count);
    return code_point;
}

void append_utf8(std::string& out, char32_t code_point) {
    CHECK(is_scalar_value(code_point));
    const auto append = [&out](char32_t byte) { out += static_cast<char>(byte); };
    if (code_point < 0x80) {
        append(code_point);
        return;
    }
    if (code_point < 0x800) {
        append(0xC0 | code_point >> 6);
    } else {
        if (code_point < 0x10000) {
            append(0xE0 | code_point >> 12);
        } else {
            append(0xF0 | code_point >> 18);
            append(0x80 | (code_point >> 12 & 0x3F));
        }
        append(0x80 | (code_point >> 6 & 0x3F));
    }
    append(0x80 | (code_point & 0x3F));
}

}  // namespace orrery
