#include "cluster/identity.h"

#include <algorithm>
#include <charconv>

#include <fmt/core.h>

namespace orrery::cluster {

namespace {

constexpr std::size_t kIncarnationDigits = 16;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string owner_text(const Identity& identity) {
    return identity.node + '/' + incarnation_text(identity.incarnation);
}

std::optional<Identity> parse_owner(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto incarnation = parse_incarnation(text.substr(slash + 1));
    if (!incarnation || !check_node_name(text.substr(0, slash))) return std::nullopt;
    return Identity{std::string(text.substr(0, slash)), *incarnation};
}

std::string incarnation_text(Incarnation incarnation) {
    return fmt::format("{:016x}", incarnation);
}

std::optional<Incarnation> parse_incarnation(std::string_view text) {
    Incarnation incarnation = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, incarnation, 16);
    if (text.size() != kIncarnationDigits || parsed.ec != std::errc() || parsed.ptr != end)
        return std::nullopt;
    return incarnation;
}

Status check_node_name(std::string_view name) {
    const bool good = !name.empty() && name.size() <= kNodeNameLengthMax &&
                      is_letter_or_digit(name.front()) &&
                      std::all_of(name.begin(), name.end(), [](char c) {
                          return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
                      });
    if (good) return {};
    return Error(ErrorCode::kBadRequest,
                 "'" + std::string(name) +
                     "' cannot be the name of a node: use 1 to 63 letters, digits, dots, dashes "
                     "and underscores, beginning with a letter or digit");
}

}  // namespace orrery::cluster
