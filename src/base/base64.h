// Base64 in the standard alphabet with padding (RFC 4648 §4). Decoding is strict: encoding
// reproduces exactly what it accepts.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orrery {

void append_base64(std::string& out, std::string_view bytes);
std::string base64_encode(std::string_view bytes);

// Nothing when the length, the alphabet, the padding or the unused bits are wrong.
std::optional<std::string> base64_decode(std::string_view text);

// The alphabet for URLs (RFC 4648 §5), with or without padding.
std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace orrery
