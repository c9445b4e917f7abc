#include "model/session_token.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace orrery::model {

namespace {

// Removes the text before the first `separator`, and the separator, from the front of `rest`;
// everything when there is none.
std::string_view take_until(std::string_view& rest, char separator) {
    const std::size_t end = rest.find(separator);
    const std::string_view taken = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return taken;
}

template <typename T>
std::optional<T> to_integer(std::string_view text) {
    T value = 0;
    const char* const text_end = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), text_end, value);
    if (error != std::errc() || end != text_end) return std::nullopt;
    return value;
}

// Version and global LSN of `value` in the grammar; nothing when it is malformed.
std::optional<SessionPosition> parse_value(std::string_view value) {
    const std::size_t fields =
        1 + static_cast<std::size_t>(std::count(value.begin(), value.end(), '#'));
    std::string_view rest = value;
    std::optional<std::int64_t> version = kNoVersion;
    if (fields > 1) version = to_integer<std::int64_t>(take_until(rest, '#'));
    const std::optional<std::int64_t> lsn = to_integer<std::int64_t>(take_until(rest, '#'));
    if (!version || !lsn) return std::nullopt;
    for (std::size_t i = 2; i < fields; ++i) {
        std::string_view local_lsn = take_until(rest, '#');
        const std::string_view region = take_until(local_lsn, '=');
        if (!to_integer<std::uint32_t>(region) || !to_integer<std::int64_t>(local_lsn)) {
            return std::nullopt;
        }
    }
    return SessionPosition{.range_id = 0, .version = *version, .lsn = *lsn};
}

std::optional<SessionPosition> parse_local(std::string_view local) {
    std::string_view value = local;
    const auto range_id = to_integer<std::uint32_t>(take_until(value, ':'));
    auto position = parse_value(value);
    if (!range_id || !position) return std::nullopt;
    position->range_id = *range_id;
    return position;
}

}  // namespace

void append_session_token(std::string& out,
                          const SessionPosition& position,
                          SessionTokenForm form) {
    out.append(std::to_string(position.range_id));
    out += ':';
    if (form == SessionTokenForm::kVector) out.append(std::to_string(position.version)) += '#';
    out.append(std::to_string(position.lsn));
}

Result<std::optional<std::int64_t>> required_lsn(std::string_view token,
                                                 const SessionRange& range) {
    std::optional<std::int64_t> required;
    if (trimmed(token).empty()) return required;

    const auto locals = 1 + std::count(token.begin(), token.end(), ',');
    for (std::ptrdiff_t i = 0; i < locals; ++i) {
        const std::string_view local = trimmed(take_until(token, ','));
        // Clients may send a trailing comma.
        if (local.empty() && i + 1 == locals) break;
        const std::optional<SessionPosition> seen = parse_local(local);
        if (!seen) return Error(ErrorCode::kBadRequest, "The session token is invalid.");
        const bool of_a_predecessor = seen->version != kNoVersion && seen->version < range.version;
        const bool ours = !of_a_predecessor &&
                          (seen->range_id == range.id ||
                           std::find(range.parents.begin(), range.parents.end(), seen->range_id) !=
                               range.parents.end());
        if (ours) required = std::max(required.value_or(seen->lsn), seen->lsn);
    }
    return required;
}

}  // namespace orrery::model
