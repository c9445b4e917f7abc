// Session tokens: how far a client has seen each partition key range. A server with one region
// prints `{range}:-1#{lsn}`; it reads every form of the grammar:
//
//   global := local *( "," local ) [ "," ]
//   local  := range ":" value
//   value  := version "#" lsn *( "#" region "=" local-lsn )    today's clients
//           | lsn                                              clients before API 2018-06-18

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::model {

struct SessionPosition {
    std::uint32_t range_id = 0;
    std::int64_t lsn = 0;
};

// The two forms of the grammar. Clients before API 2018-06-18 accept only the simple one.
enum class SessionTokenForm : std::uint8_t { kVector, kSimple };

// {.range_id = 3, .lsn = 12} → 3:-1#12, simple 3:12.
void append_session_token(std::string& out, const SessionPosition& position, SessionTokenForm form);

// The LSN that the range must have reached before it may answer a request with this token: the
// highest of those given for the range and for its parents. Nothing when the token, which may be
// empty, does not mention them; kBadRequest when any part of it is malformed. Versions and regions
// are checked for form only, since a single region does not need them.
Result<std::optional<std::int64_t>> required_lsn(std::string_view token,
                                                 std::uint32_t range_id,
                                                 std::span<const std::uint32_t> parents);

}  // namespace orrery::model
