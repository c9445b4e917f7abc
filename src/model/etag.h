// Etags: quoted texts in the form of a GUID that change with every write. Clients must treat them
// as opaque; ours identify the write, so that one never recurs for other content.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::model {

inline constexpr std::uint64_t kEtagLsnMax = (std::uint64_t{1} << 48) - 1;
// A larger LSN on disk means corruption. Leaves enough room to count up without a check.
inline constexpr std::uint64_t kStoredLsnMax = kEtagLsnMax / 2;

struct EtagParts {
    std::uint64_t lsn = 0;          // up to kEtagLsnMax; or a stamp
    std::uint32_t partition = 0;    // that wrote it; only its low 16 bits are printed
    std::uint16_t ordinal = 0;      // which write within the transaction
    std::int64_t unix_seconds = 0;  // only its low 32 bits are printed
    // `lsn` is not an LSN but a random number: the etag was made before there was an LSN.
    bool stamped = false;
};

// Appends 38 characters including the quotes. lsn 0xd826, partition 7, time 0x5b7d0d8a →
// "00000000-d826-0007-0000-5b7d0d8a0000".
void append_etag(std::string& out, const EtagParts& parts);

// Whether the value of an If-Match or If-None-Match header names `etag` (with its quotes). `*`
// matches every etag; a list matches when one of its members does. Quotes may be missing, as in
// requests of old SDKs, and `W/` is ignored: all our etags are strong.
bool etag_matches(std::string_view header, std::string_view etag);

}  // namespace orrery::model
