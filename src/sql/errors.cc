#include "sql/errors.h"

#include <algorithm>

#include "json/text.h"

namespace orrery::sql {

namespace {

void append_location(std::string& out, const Location& location) {
    out += "\"location\":{\"start\":" + std::to_string(location.start) +
           ",\"end\":" + std::to_string(location.end) + "},";
}

void append_code(std::string& out, const std::string& code) {
    const bool digits =
        std::all_of(code.begin(), code.end(), [](char c) { return c >= '0' && c <= '9'; });
    out += "\"code\":";
    out += digits ? code : json::quote(code);
    out += ',';
}

void append_diagnostic(std::string& out, const Diagnostic& diagnostic) {
    out += "{\"severity\":\"Error\",";
    if (diagnostic.location) append_location(out, *diagnostic.location);
    if (!diagnostic.code.empty()) append_code(out, diagnostic.code);
    out += "\"message\":";
    json::append_quoted(out, diagnostic.message);
    out += '}';
}

}  // namespace

Error query_error(const std::vector<Diagnostic>& diagnostics) {
    std::string out = "{\"errors\":[";
    for (std::size_t i = 0; i < diagnostics.size(); ++i) {
        if (i != 0) out += ',';
        append_diagnostic(out, diagnostics[i]);
    }
    out += "]}";
    return Error(ErrorCode::kBadRequest, std::move(out));
}

Error query_error(std::string_view code, std::string message, std::optional<Location> location) {
    return query_error({Diagnostic{std::string(code), std::move(message), location}});
}

Error plain_query_error(std::string_view message) {
    return Error(ErrorCode::kBadRequest, "{\"Errors\":[" + json::quote(message) + "]}");
}

Error syntax_error(std::string_view near, Location location) {
    if (near.empty()) {
        return query_error("SC1002", "Syntax error, unexpected end-of-file.", location);
    }
    return query_error(
        "SC1001", "Syntax error, incorrect syntax near '" + std::string(near) + "'.", location);
}

Error count_error(CountClause clause, Location location) {
    switch (clause) {
        case CountClause::kTop:
            return query_error("SC2060",
                               "The count value provided for a TOP clause must be an integer.",
                               location);
        case CountClause::kOffset:
            return query_error(
                "SC2062", "The OFFSET count value exceeds the maximum allowed value.", location);
        default:
            return query_error(
                "SC2061", "The LIMIT count value exceeds the maximum allowed value.", location);
    }
}

}  // namespace orrery::sql
