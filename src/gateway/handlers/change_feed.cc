#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/http_date.h"
#include "base/stopwatch.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "service/errors.h"

namespace orrery::gateway::handlers {

namespace {

// The only version of the envelope.
constexpr std::string_view kEnvelopeVersion = "2021-09-15";

// The Go SDK names the time zone UTC.
std::optional<std::int64_t> parse_start_time(std::string_view text) {
    constexpr std::string_view kUtc = " UTC";
    if (!text.ends_with(kUtc)) return parse_http_date(text);
    text.remove_suffix(kUtc.size());
    return parse_http_date(std::string(text) + " GMT");
}

Result<service::ChangeFeedOptions> changes_wanted(Call& call) {
    // A stream of events needs no A-IM.
    const std::string_view mode = call.header(header::kAim).value_or("Incremental Feed");
    service::ChangeFeedOptions options;
    options.all_versions = same_word(mode, "Full-Fidelity Feed");
    if (!options.all_versions && !same_word(mode, "Incremental Feed")) {
        return service::bad_request("The value '" + header_text(mode.substr(0, 40)) +
                                    "' of the header A-IM is not valid.");
    }
    if (const auto version = call.header(header::kChangeFeedWireFormat)) {
        if (*version != kEnvelopeVersion) {
            return service::bad_request("The wire format version '" +
                                        header_text(version->substr(0, 40)) +
                                        "' of the change feed is not supported.");
        }
        options.envelope = true;
    }
    // Clients go on sending it beside the etag, which then is what counts.
    if (const auto text = call.header(header::kIfModifiedSince);
        text && !call.context.request.if_none_match && !call.header(header::kLastEventId)) {
        options.since = parse_start_time(*text);
        if (!options.since) {
            return service::bad_request(
                "The header If-Modified-Since must be a date in RFC 1123 form.");
        }
    }
    if (call.is_query) options.filter = query_text_of(call);
    return options;
}

http::Response changes_response(const Call& call,
                                const service::FoundContainer& found,
                                service::ChangesAnswer answer) {
    http::Response response;
    if (answer.modified) {
        response = call.make_feed(found.container->rid.text(), "Documents", std::move(answer.page));
    } else {
        response = call.make_response(304);
        response.add_header(header::kItemCount, "0");
    }
    response.add_header(header::kEtag, answer.etag);
    add_container_headers(response, found);
    return response;
}

void note_reader(const Backend& backend,
                 const Call& call,
                 const catalog::Container& container,
                 const service::ChangesAnswer& answer) {
    const std::string client = header_text(call.header(header::kUserAgent).value_or(""));
    backend.change_feed.readers().note({.container = container.rid,
                                        .epks = answer.epks,
                                        .client = client,
                                        .before = call.context.request.if_none_match,
                                        .after = answer.etag},
                                       monotonic_now());
}

}  // namespace

void list_changes(const Backend& backend,
                  const CallPtr& call,
                  const service::FoundContainer& found) {
    const auto options = changes_wanted(*call);
    if (!options) return call->fail(options.error());
    if (wants_events(*call) && !call->is_query) {
        return stream_changes(backend, call, found, *options);
    }
    auto answer = backend.change_feed.read(call->context, *found.container, *options);
    if (!answer) {
        if (!run_again(backend, call, answer.error())) call->fail(answer.error());
        return;
    }
    note_reader(backend, *call, *found.container, *answer);
    call->respond(changes_response(*call, found, std::move(*answer)));
}

}  // namespace orrery::gateway::handlers
