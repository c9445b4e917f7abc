#include "service/change_position.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/base64.h"
#include "base/bytes.h"
#include "partition/item_record.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

constexpr char kPositionVersion = 1;

Error bad_etag() {
    return bad_request("The etag in If-None-Match is not a position in this change feed.");
}

std::string encode(const ChangePosition& position) {
    std::string out(1, kPositionVersion);
    append_varint(out, position.first);
    const auto append_bound = [&](const std::string& bound) {
        append_varint(out, bound.size());
        out.append(bound);
    };
    append_bound(position.parts.front().epks.min_inclusive);
    for (const ChangePart& part : position.parts) {
        append_bound(part.epks.max_exclusive);
        append_varint(out, static_cast<std::uint64_t>(part.after));
        // 0: no time.
        append_varint(out, part.since ? static_cast<std::uint64_t>(*part.since) + 1 : 0);
    }
    return out;
}

Result<ChangePosition> decode(std::string_view payload) {
    ByteReader reader(payload);
    ChangePosition out;
    bool sound = reader.take(1) == std::string_view(&kPositionVersion, 1);
    out.first = reader.varint();
    std::string min(reader.take(reader.varint()));
    while (sound && reader.ok() && !reader.rest().empty()) {
        ChangePart part;
        part.epks = {.min_inclusive = min,
                     .max_exclusive = std::string(reader.take(reader.varint()))};
        part.after = static_cast<partition::Lsn>(reader.varint());
        const std::uint64_t since = reader.varint();
        if (since > 0) part.since = static_cast<std::int64_t>(since - 1);
        sound = !part.epks.empty() && partition::lsn_is_possible(part.after) &&
                (!part.since || partition::timestamp_is_possible(*part.since));
        min = part.epks.max_exclusive;
        out.parts.push_back(std::move(part));
    }
    if (!sound || !reader.ok() || out.first >= out.parts.size()) return bad_etag();
    return out;
}

}  // namespace

ChangePosition ChangePosition::everywhere(const ChangePart& part) {
    ChangePosition out;
    out.parts = {part};
    out.parts.front().epks = {.min_inclusive = {}, .max_exclusive = std::string(model::kEpkEnd)};
    return out;
}

void ChangePosition::simplify() {
    std::vector<ChangePart> joined;
    std::size_t joined_first = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        ChangePart& part = parts[i];
        const bool same = !joined.empty() && joined.back().after == part.after &&
                          joined.back().since == part.since;
        if (same) {
            joined.back().epks.max_exclusive = std::move(part.epks.max_exclusive);
        } else {
            joined.push_back(std::move(part));
        }
        if (i == first) joined_first = joined.size() - 1;
    }
    parts = std::move(joined);
    first = joined_first;
}

std::string ChangePosition::etag() const {
    partition::Lsn newest = 0;
    for (const ChangePart& part : parts)
        newest = std::max(newest, part.after);
    std::string out = "\"" + std::to_string(newest);
    const bool plain = parts.size() == 1 && !parts.front().since;
    if (!plain) {
        out += '|';
        append_base64(out, encode(*this));
    }
    return out + '"';
}

Result<ChangePosition> ChangePosition::parse(std::string_view etag) {
    // Some clients take off the quotes.
    if (etag.size() >= 2 && etag.front() == '"' && etag.back() == '"') {
        etag = etag.substr(1, etag.size() - 2);
    }
    const std::size_t bar = etag.find('|');
    const std::string_view number = etag.substr(0, bar);
    partition::Lsn lsn = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), lsn);
    if (error != std::errc() || end != number.data() + number.size() ||
        !partition::lsn_is_possible(lsn)) {
        return bad_etag();
    }
    if (bar == std::string_view::npos) return everywhere({.epks = {}, .after = lsn});
    const auto payload = base64_decode(etag.substr(bar + 1));
    if (!payload) return bad_etag();
    return decode(*payload);
}

}  // namespace orrery::service
