// Percent-encoding of URL path segments (RFC 3986 §2.1). `+` is literal: it means a space only in
// HTML forms, and SDKs send it unescaped in ids that contain one.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

// Escapes every byte but letters, digits, `-._~` and those of `kept`.
std::string percent_encode(std::string_view bytes, std::string_view kept = {});

// Nothing when a `%` is not followed by two hex digits. The result may be any bytes, not only
// UTF-8.
std::optional<std::string> percent_decode(std::string_view text);

}  // namespace orrery
