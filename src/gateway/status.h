// Makes error bodies in the form SDKs expect. For status codes see base/http_status.h.

#pragma once

#include <string>
#include <string_view>

#include "base/http_status.h"

namespace orrery::gateway {

// {"code":"NotFound","message":"Message: {\"Errors\":[\"...\"]}\r
// ActivityId: ..."}. A message that is itself a JSON object, as query errors are, is inserted
// unchanged. A non-empty `info` becomes the member additionalErrorInfo.
std::string error_body(unsigned status,
                       std::string_view message,
                       std::string_view activity_id,
                       std::string_view target,
                       std::string_view info = {});

}  // namespace orrery::gateway
