// The one place that turns errors into HTTP: status code, sub-status, and the body SDKs expect.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::gateway {

unsigned http_status(ErrorCode code);

// What a client is told to wait after a 503.
inline constexpr std::string_view kRetrySoonMs = "100";

// {"code":"NotFound","message":"Message: {\"Errors\":[\"...\"]}\r\nActivityId: ..."}. A message
// that is a JSON object itself, as those about queries are, is put in as it is. `info` becomes the
// member additionalErrorInfo unless it is empty.
std::string error_body(unsigned status,
                       std::string_view message,
                       std::string_view activity_id,
                       std::string_view target,
                       std::string_view info = {});

}  // namespace orrery::gateway
