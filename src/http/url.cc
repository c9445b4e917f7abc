#include "http/url.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <charconv>

#include "base/ascii.h"

namespace orrery::http {

namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

bool is_name(std::string_view text) {
    constexpr std::size_t kHostBytesMax = 253;
    return !text.empty() && text.size() <= kHostBytesMax &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
           });
}

bool is_ipv6(const std::string& text) {
    in6_addr parsed{};
    return inet_pton(AF_INET6, text.c_str(), &parsed) == 1;
}

// The host of "host", "host:80", "[::1]" and "[::1]:80"; what follows it stays in `text`.
std::optional<std::string> take_host(std::string_view& text) {
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        std::string address(text.substr(1, end - 1));
        text.remove_prefix(end + 1);
        return is_ipv6(address) ? std::optional(std::move(address)) : std::nullopt;
    }
    const std::string name = orrery::lower(text.substr(0, text.find(':')));
    text.remove_prefix(name.size());
    return is_name(name) ? std::optional(name) : std::nullopt;
}

// ":8081"
bool parse_port(std::string_view text, std::uint16_t& port) {
    text.remove_prefix(1);
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, port);
    return error == std::errc() && stopped == end && port > 0;
}

bool is_target(std::string_view text) {
    return std::all_of(
        text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '#'; });
}

}  // namespace

std::optional<Url> parse_url(std::string_view text) {
    Url out;
    if (same_word(text.substr(0, 8), "https://")) {
        text.remove_prefix(8);
    } else if (same_word(text.substr(0, 7), "http://")) {
        out.secure = false;
        text.remove_prefix(7);
    } else {
        return std::nullopt;
    }
    std::string_view place = text.substr(0, text.find_first_of("/?#"));
    text.remove_prefix(place.size());
    auto host = take_host(place);
    if (!host || !is_target(text)) return std::nullopt;
    out.host = std::move(*host);
    out.port = out.secure ? kHttpsPort : kHttpPort;
    if (!place.empty() && (place.front() != ':' || !parse_port(place, out.port))) {
        return std::nullopt;
    }
    out.target = text.starts_with('/') ? std::string(text) : "/" + std::string(text);
    return out;
}

std::string Url::authority() const {
    std::string out = host.find(':') == std::string::npos ? host : "[" + host + "]";
    if (port != (secure ? kHttpsPort : kHttpPort)) out += ":" + std::to_string(port);
    return out;
}

std::string Url::shown() const {
    return (secure ? "https://" : "http://") + authority() + target.substr(0, target.find('?'));
}

bool Url::names_loopback() const {
    in_addr parsed{};
    const bool v4 = inet_pton(AF_INET, host.c_str(), &parsed) == 1;
    return host == "localhost" || host == "::1" || (v4 && host.starts_with("127."));
}

}  // namespace orrery::http
