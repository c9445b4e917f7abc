// An http or https URL, as far as settings use them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::http {

struct Url {
    bool secure = true;
    std::string host;  // in lower case; an IPv6 address without its brackets
    std::uint16_t port = 0;
    std::string target;  // begins with a slash; the path and the query as given

    // The host as a Host header names it, with the port if it is not the default one.
    std::string authority() const;
    // For the log: without the query, which may hold a secret.
    std::string shown() const;
    // By its name; an unusual name for a loopback address is not one.
    bool names_loopback() const;
};

// Nothing if the text is not such a URL, or has a user, a password or a fragment.
std::optional<Url> parse_url(std::string_view text);

}  // namespace orrery::http
