#include "model/etag.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/check.h"

namespace orrery::model {

namespace {

// Overwrites the characters from `at` on.
void write_hex(char* at, std::uint64_t value, int digits) {
    constexpr char kDigits[] = "0123456789abcdef";
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
        *at++ = kDigits[value >> shift & 15];
    }
}

// The part between the quotes, or the text itself when there are none.
std::string_view opaque(std::string_view tag) {
    if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') {
        return tag.substr(1, tag.size() - 2);
    }
    return tag;
}

// Removes the first member from a list. A comma between quotes belongs to the tag.
std::string_view take_member(std::string_view& list) {
    bool quoted = false;
    std::size_t length = 0;
    while (length < list.size() && (quoted || list[length] != ',')) {
        if (list[length++] == '"') quoted = !quoted;
    }
    const std::string_view member = list.substr(0, length);
    list.remove_prefix(std::min(length + 1, list.size()));
    return trimmed(member);
}

}  // namespace

void append_etag(std::string& out, const EtagParts& parts) {
    CHECK(parts.lsn <= kEtagLsnMax);
    constexpr std::string_view kForm = "\"00000000-0000-0000-0000-000000000000\"";
    const std::size_t start = out.size();
    out += kForm;
    char* const text = out.data() + start;
    write_hex(text + 1, parts.lsn >> 16, 8);
    write_hex(text + 10, parts.lsn, 4);
    write_hex(text + 15, parts.partition, 4);
    write_hex(text + 20, parts.ordinal, 4);
    write_hex(text + 25, static_cast<std::uint64_t>(parts.unix_seconds), 8);
    if (parts.stamped) text[36] = '1';
}

bool etag_matches(std::string_view header, std::string_view etag) {
    if (trimmed(header) == "*") return true;
    while (!header.empty()) {
        std::string_view member = take_member(header);
        if (member.starts_with("W/")) member.remove_prefix(2);
        if (!member.empty() && opaque(member) == opaque(etag)) return true;
    }
    return false;
}

}  // namespace orrery::model
