#include "model/etag.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/check.h"

namespace orrery::model {

namespace {

void append_hex(std::string& out, std::uint64_t value, int digits) {
    constexpr char kDigits[] = "0123456789abcdef";
    for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) {
        out += kDigits[value >> shift & 15];
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
    out += '"';
    append_hex(out, parts.lsn >> 16, 8);
    out += '-';
    append_hex(out, parts.lsn, 4);
    out += '-';
    append_hex(out, parts.partition, 4);
    out += '-';
    append_hex(out, parts.ordinal, 4);
    out += '-';
    append_hex(out, static_cast<std::uint64_t>(parts.unix_seconds), 8);
    out += parts.stamped ? "0001\"" : "0000\"";
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
