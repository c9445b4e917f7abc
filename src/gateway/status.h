// The one place that makes answers of errors: the body SDKs expect; the status is
// base/http_status.h.

#pragma once

#include <string>
#include <string_view>

#include "base/http_status.h"

namespace orrery::gateway {

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
