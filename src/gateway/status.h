// The one place that makes answers of errors: the body SDKs expect; the status is
// base/http_status.h.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/http_status.h"

namespace orrery::gateway {

// What a client is told to wait, in milliseconds, before it tries again what was not done for lack
// of something: nothing for other answers.
constexpr std::optional<std::uint32_t> retry_after_ms(unsigned status) {
    constexpr std::uint32_t kSoon = 100;
    const bool passes = status == 429 || status == 449 || status == 503;
    return passes ? std::optional(kSoon) : std::nullopt;
}

// {"code":"NotFound","message":"Message: {\"Errors\":[\"...\"]}\r\nActivityId: ..."}. A message
// that is a JSON object itself, as those about queries are, is put in as it is. `info` becomes the
// member additionalErrorInfo unless it is empty.
std::string error_body(unsigned status,
                       std::string_view message,
                       std::string_view activity_id,
                       std::string_view target,
                       std::string_view info = {});

}  // namespace orrery::gateway
