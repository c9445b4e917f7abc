// W3C Trace Context Level 1 (a Recommendation): the header `traceparent`, by which a client tells
// which trace and which of its spans a request belongs to. The response header `traceresponse` is
// part of drafts only, and is not sent.

#pragma once

#include <optional>
#include <string_view>

namespace orrery {

struct TraceContext {
    std::string_view trace_id;   // 32 lower-case hexadecimal digits
    std::string_view parent_id;  // 16, the client's span
};

// Views into the header. Nothing if it is malformed, in which case the standard says to ignore it.
std::optional<TraceContext> parse_traceparent(std::string_view header);

}  // namespace orrery
