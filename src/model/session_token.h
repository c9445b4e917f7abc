// Session tokens: how far a client has seen each partition key range. We print
// `{range}:{version}#{lsn}` and read every form of the grammar:
//
//   global := local *( "," local ) [ "," ]
//   local  := range ":" value
//   value  := version "#" lsn *( "#" region "=" local-lsn )    today's clients
//           | lsn                                              clients before API 2018-06-18
//
// The version is the number of the container. A container that was removed and created again under
// its name has a higher one, so what clients remember of the old container does not bind the new.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::model {

// In tokens of other origin. Clients know it as the version of a service with one region.
inline constexpr std::int64_t kNoVersion = -1;

struct SessionPosition {
    std::uint32_t range_id = 0;
    std::int64_t version = kNoVersion;
    std::int64_t lsn = 0;
};

// The two forms of the grammar. Clients before API 2018-06-18 accept only the simple one.
enum class SessionTokenForm : std::uint8_t { kVector, kSimple };

// {.range_id = 3, .version = 5, .lsn = 12} → 3:5#12, simple 3:12.
void append_session_token(std::string& out, const SessionPosition& position, SessionTokenForm form);

// A range as its clients know it.
struct SessionRange {
    std::uint32_t id = 0;
    std::span<const std::uint32_t> parents;
    std::int64_t version = 0;
};

// The LSN that the range must have reached before it may answer a request with this token: the
// highest of those given for the range and for its parents. Nothing when the token, which may be
// empty, does not mention them, or only in a lower version; kBadRequest when any part of it is
// malformed. Regions are checked for form only, since a single region does not need them.
Result<std::optional<std::int64_t>> required_lsn(std::string_view token, const SessionRange& range);

}  // namespace orrery::model
