// CRC-32 of ISO 3309, as in zlib and PNG: polynomial edb88320, reflected, all ones in and out. It
// detects damage, not tampering.

#pragma once

#include <cstdint>
#include <string_view>

namespace orrery {

std::uint32_t crc32(std::string_view bytes);

}  // namespace orrery
