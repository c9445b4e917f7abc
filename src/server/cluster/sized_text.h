// Texts of any length in what nodes send each other: the length, then the bytes.

#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace orrery::server {

inline void append_sized(std::string& out, std::string_view text) {
    append_varint(out, text.size());
    out.append(text);
}

inline std::string_view take_sized(ByteReader& reader) { return reader.take(reader.varint()); }

}  // namespace orrery::server
