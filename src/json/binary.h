// The service's binary form of JSON ("CosmosBinary"), which the Rust SDK sends items in: byte 80,
// then a value. Every value begins with a marker byte that says its type and often its length.
// Example: {"id":"1"} is 80 E9 2C 81 31: an object of one member, system string 12, a string of
// one byte. Numbers are little-endian. (Reference: JsonBinaryEncoding in the .NET and Rust SDKs.)

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::json {

// No JSON text begins with this byte: it is not the first of any UTF-8 sequence.
inline bool is_binary(std::string_view body) { return body.starts_with('\x80'); }

// The same value as JSON text, in the order of its members. Names that occur twice and invalid
// UTF-8 are left to the scan of the text. kBadRequest when the bytes are not binary JSON, kTooLarge
// when the text would be longer than `text_bytes_max`: references to strings can multiply it.
Result<std::string> text_of_binary(std::string_view binary, std::size_t text_bytes_max);

}  // namespace orrery::json
