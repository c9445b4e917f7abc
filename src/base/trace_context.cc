#include "base/trace_context.h"

#include <algorithm>

namespace orrery {

namespace {

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

bool is_zero(std::string_view text) {
    return text.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

// 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01: version, trace, parent, flags.
std::optional<TraceContext> parse_traceparent(std::string_view header) {
    constexpr std::size_t kLength = 55;
    if (header.size() < kLength) return std::nullopt;
    const std::string_view version = header.substr(0, 2);
    if (!is_hex(version) || version == "ff") return std::nullopt;
    // Later versions may add fields, after another dash.
    const bool complete = header.size() == kLength || (version != "00" && header[kLength] == '-');
    if (!complete || header[2] != '-' || header[35] != '-' || header[52] != '-') {
        return std::nullopt;
    }
    const TraceContext trace{.trace_id = header.substr(3, 32), .parent_id = header.substr(36, 16)};
    if (!is_hex(trace.trace_id) || is_zero(trace.trace_id)) return std::nullopt;
    if (!is_hex(trace.parent_id) || is_zero(trace.parent_id)) return std::nullopt;
    if (!is_hex(header.substr(53, 2))) return std::nullopt;
    return trace;
}

}  // namespace orrery
