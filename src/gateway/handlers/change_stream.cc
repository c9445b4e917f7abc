// GET …/docs with Accept: text/event-stream: the change feed of latest versions as server-sent
// events, one for each change. The last event of a page has an id, with which the client can go on
// after it (Last-Event-ID); if the connection breaks before, some events come again.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/stopwatch.h"
#include "gateway/change_streams.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "json/text.h"
#include "service/errors.h"

namespace orrery::gateway::handlers {

namespace {

// Texts of the request, which is gone when the response begins.
struct StreamRequest {
    explicit StreamRequest(const Call& call)
        : principal(call.context.principal),
          target(call.exchange().target()),
          version(call.context.request.api_version),
          database(call.path.ids[0]),
          container(call.path.ids[1]),
          claim(call.context.allowance.claim) {
        const service::Request& request = call.context.request;
        const auto keep = [](std::optional<std::string>& to, std::optional<std::string_view> from) {
            if (from) to = std::string(*from);
        };
        keep(partition_key, request.partition_key);
        keep(range_id, request.range_id);
        keep(start_epk, request.start_epk);
        keep(end_epk, request.end_epk);
        keep(max_item_count, request.max_item_count);
        keep(intended_container_rid, request.intended_container_rid);
        keep(position, request.if_none_match);
        keep(position, call.header(header::kLastEventId));
    }

    service::Request request() const {
        service::Request out;
        out.api_version = version;
        const auto show = [](std::optional<std::string_view>& to,
                             const std::optional<std::string>& from) {
            if (from) to = *from;
        };
        show(out.partition_key, partition_key);
        show(out.range_id, range_id);
        show(out.start_epk, start_epk);
        show(out.end_epk, end_epk);
        show(out.max_item_count, max_item_count);
        show(out.intended_container_rid, intended_container_rid);
        show(out.if_none_match, position);
        return out;
    }

    auth::Principal principal;
    std::string target;
    service::ApiVersion version;
    std::string database;
    std::string container;
    std::optional<throughput::Claim> claim;
    std::optional<std::string> partition_key = std::nullopt;
    std::optional<std::string> range_id = std::nullopt;
    std::optional<std::string> start_epk = std::nullopt;
    std::optional<std::string> end_epk = std::nullopt;
    std::optional<std::string> max_item_count = std::nullopt;
    std::optional<std::string> intended_container_rid = std::nullopt;
    std::optional<std::string> position = std::nullopt;  // moves on
};

// "id: 28\ndata: {…}\n\n"; only the last event has an id.
std::string events_of(const service::ChangesAnswer& answer) {
    std::string out;
    std::string_view rest = answer.page.elements;
    while (!rest.empty()) {
        const std::size_t end = rest.find(service::kRecordSeparator);
        const std::string_view item = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 2, rest.size()));  // and the comma after it
        if (rest.empty()) {
            std::string id = answer.etag;
            std::erase(id, '"');
            out.append("id: ").append(id).append("\n");
        }
        // Items are stored without line breaks between their tokens.
        out.append("data: ").append(item).append("\n\n");
    }
    return out;
}

// One thread at a time works for it: that of the connection, that of ChangeStreams, or one of the
// lane of queries.
class ChangeStream final : public http::BodyStream,
                           public ChangeStreams::Waiting,
                           public std::enable_shared_from_this<ChangeStream> {
public:
    ChangeStream(const Backend& backend,
                 const Call& call,
                 const service::ChangeFeedOptions& options,
                 std::shared_ptr<ChangeStreams::Place> place)
        : backend_(backend), request_(call), options_(options), place_(std::move(place)) {}

    // The events of the next page; empty if there is nothing new.
    Result<std::string> read(bool may_block) {
        constexpr int kMovesMax = 20;  // of the partitions, while it tries to read them
        for (int moves = 0;; ++moves) {
            service::Context context;
            context.request = request_.request();
            context.principal = request_.principal;
            context.allowance.may_block = may_block;
            TRY(check_access(context));
            // Looking for news is free.
            if (may_block) context.allowance.claim = request_.claim;
            const auto found = TRY(backend_.resources.find(
                context.request, {.database = request_.database, .container = request_.container}));
            const auto answer = backend_.change_feed.read(context, *found.container, options_);
            if (answer) {
                request_.position = answer->etag;
                place_->behind = answer->behind;
                quiet_ = answer->quiet;
                quiet_container_ = found.container;
                options_.since.reset();  // is part of the etag
                return events_of(*answer);
            }
            const bool moved = answer.error().code() == ErrorCode::kGone && !request_.range_id;
            if (!moved || moves == kMovesMax) return answer.error().copy();
        }
    }

    // The beginning of the stream.
    void begin_with(std::string events) { first_ = std::move(events); }

    void next(Deliver deliver) override {
        deliver_ = std::move(deliver);
        if (!first_.empty()) return send(std::exchange(first_, {}));
        if (over_) return std::exchange(deliver_, nullptr)({});
        look();
    }

    void look() override {
        if (const Status valid = check_credential(); !valid) return stumble(valid.error());
        if (monotonic_now() < not_before_) return wait();
        if (is_quiet()) return send_or_wait({});
        const Result<std::string> events = read(false);
        if (events) return send_or_wait(*events);
        if (events.error().code() != ErrorCode::kWouldBlock) return stumble(events.error());
        const bool taken = backend_.lanes.queries.try_post(
            [self = shared_from_this()](Pacer& /*pacer*/) { self->read_and_send(); });
        if (!taken) wait();
    }

private:
    // A stream outlives its request, but not what the request was allowed by.
    Status check_credential() const {
        return backend_.authenticator.check_still_valid(request_.principal,
                                                        backend_.clock.now_seconds());
    }
    Status check_access(const service::Context& context) const {
        TRY(check_credential());
        return backend_.access.check(context,
                                     auth::Action::kReadFeed,
                                     {.database = request_.database,
                                      .container = request_.container,
                                      .child_type = "docs",
                                      .method = "GET",
                                      .target = request_.target});
    }

    // Much cheaper than read().
    bool is_quiet() const {
        if (!quiet_.are_quiet()) return false;
        const auto found = backend_.resources.find(
            request_.request(), {.database = request_.database, .container = request_.container});
        return found && found->container == quiet_container_;
    }

    void read_and_send() {
        const Result<std::string> events = read(true);
        if (!events) return stumble(events.error());
        send_or_wait(*events);
    }

    void send_or_wait(const std::string& events) {
        if (!events.empty()) return send(events);
        const bool quiet = monotonic_now() - sent_ >= backend_.change_streams.options().keep_alive;
        if (quiet) return send(": keep-alive\n\n");
        wait();
    }

    void send(std::string events) {
        sent_ = monotonic_now();
        std::exchange(deliver_, nullptr)(std::move(events));
    }

    void wait() { backend_.change_streams.wait(weak_from_this()); }

    // Waits where that helps, else says what is wrong and ends.
    void stumble(const Error& error) {
        if (error.code() == ErrorCode::kThrottled || error.code() == ErrorCode::kUnavailable) {
            constexpr std::chrono::milliseconds kPause{1000};
            not_before_ = monotonic_now() + error.retry_after().value_or(kPause);
            return wait();
        }
        over_ = true;
        std::string event = "event: error\ndata: {\"message\":";
        json::append_quoted(event, error.message());
        send(event + "}\n\n");
    }

    const Backend& backend_;
    StreamRequest request_;
    service::ChangeFeedOptions options_;
    const std::shared_ptr<ChangeStreams::Place> place_;
    service::QuietPartitions quiet_;
    catalog::ContainerPtr quiet_container_;  // as it was then
    std::string first_;
    Deliver deliver_;
    bool over_ = false;
    std::chrono::steady_clock::time_point sent_ = monotonic_now();
    std::chrono::steady_clock::time_point not_before_{};
};

http::Response begin_stream(const Call& call,
                            const service::FoundContainer& found,
                            std::shared_ptr<ChangeStream> stream) {
    http::Response response;
    response.add_header(header::kContentType, "text/event-stream");
    response.add_header(header::kCacheControl, "no-store");
    response.add_header(header::kActivityId, call.activity_id());
    add_container_headers(response, found);
    response.stream = std::move(stream);
    return response;
}

}  // namespace

bool wants_events(const Call& call) {
    const auto accepted = call.header(header::kAccept);
    return accepted && accepted->find("text/event-stream") != std::string_view::npos;
}

void stream_changes(const Backend& backend,
                    const CallPtr& call,
                    const service::FoundContainer& found,
                    service::ChangeFeedOptions options) {
    if (options.all_versions || options.envelope) {
        return call->fail(
            service::bad_request("A stream of events has latest versions only, and no envelopes."));
    }
    auto place = backend.change_streams.take_place();
    if (!place) {
        constexpr std::chrono::milliseconds kLater{5000};
        return call->fail(
            Error(ErrorCode::kThrottled, "The server has too many streams of changes; retry later.")
                .with_retry_after(kLater));
    }
    options.separated = true;
    auto stream = std::make_shared<ChangeStream>(backend, *call, options, std::move(place));
    // The first page is read before the answer begins, so that a bad request is answered as such.
    Result<std::string> events = stream->read(call->context.allowance.may_block);
    if (!events) {
        stream.reset();  // it takes its place again when it runs again
        if (!run_again(backend, call, events.error())) call->fail(events.error());
        return;
    }
    stream->begin_with("retry: 1000\n\n" + *events);
    call->respond(begin_stream(*call, found, std::move(stream)));
}

}  // namespace orrery::gateway::handlers
