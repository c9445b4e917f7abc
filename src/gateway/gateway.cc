#include "gateway/gateway.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>

#include "base/ascii.h"
#include "base/stopwatch.h"
#include "gateway/authorization.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "gateway/status.h"
#include "model/limits.h"
#include "model/throughput_buckets.h"

namespace orrery::gateway {

namespace {

// The versions of the REST API, oldest to newest.
constexpr std::array kApiVersions = {20140821, 20150408, 20150603, 20150806, 20151216, 20160530,
                                     20160711, 20161114, 20170119, 20170222, 20170503, 20171115,
                                     20180618, 20180831, 20180917, 20181231, 20191014, 20200715,
                                     20201105, 20240515, 20240606};

Result<service::ApiVersion> parse_api_version(std::optional<std::string_view> text) {
    if (!text || text->empty()) return service::kNewestApiVersion;
    std::string digits;
    std::copy_if(
        text->begin(), text->end(), std::back_inserter(digits), [](char c) { return c != '-'; });
    service::ApiVersion version = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), version);
    const bool shaped = text->size() == 10 && (*text)[4] == '-' && (*text)[7] == '-';
    if (!shaped ||
        std::find(kApiVersions.begin(), kApiVersions.end(), version) == kApiVersions.end()) {
        return Error(ErrorCode::kBadRequest,
                     "The value '" + std::string(text->substr(0, 40)) +
                         "' specified for the API version in 'x-ms-version' is invalid.");
    }
    return version;
}

Result<service::Request> read_request(const Call& call) {
    service::Request request;
    request.api_version = TRY(parse_api_version(call.header(header::kVersion)));
    request.partition_key = call.header(header::kPartitionKey);
    request.range_id = call.header(header::kRangeId);
    request.start_epk = call.header(header::kStartEpk);
    request.end_epk = call.header(header::kEndEpk);
    request.if_match = call.header(header::kIfMatch);
    request.if_none_match = call.header(header::kIfNoneMatch);
    request.session_token = call.header(header::kSessionToken);
    request.consistency_level = call.header(header::kConsistencyLevel);
    request.continuation = call.header(header::kContinuation);
    request.max_item_count = call.header(header::kMaxItemCount);
    request.intended_container_rid = call.header(header::kIntendedContainerRid);
    request.indexing_directive = call.header(header::kIndexingDirective);
    request.offer_throughput = call.header(header::kOfferThroughput);
    request.autopilot_settings = call.header(header::kAutopilotSettings);
    request.offer_type = call.header(header::kOfferType);
    if (call.path.type == ResourceType::kPermission) {
        request.token_seconds = call.header(header::kTokenExpirySeconds);
    }
    request.migrate_to_autoscale = call.flag(header::kMigrateToAutoscale);
    request.migrate_to_manual = call.flag(header::kMigrateToManual);
    request.exclude_system_properties = call.flag(header::kExcludeSystemProperties);
    // Some SDKs send an empty continuation to mean "from the start".
    if (request.continuation && request.continuation->empty()) request.continuation.reset();
    return request;
}

// What the request may use of the throughput, by its own words.
Result<throughput::Claim> read_claim(const Call& call) {
    throughput::Claim claim;
    if (const auto level = call.header(header::kPriorityLevel)) {
        if (same_word(*level, "Low")) {
            claim.priority = throughput::Priority::kLow;
        } else if (!same_word(*level, "High")) {
            return Error(ErrorCode::kBadRequest,
                         "The priority level '" + std::string(level->substr(0, 40)) +
                             "' is not valid; it must be High or Low.");
        }
    }
    if (const auto bucket = call.header(header::kThroughputBucket)) {
        const char* const end = bucket->data() + bucket->size();
        const auto [at, error] = std::from_chars(bucket->data(), end, claim.bucket);
        if (error != std::errc() || at != end || claim.bucket < 1 ||
            claim.bucket > model::kThroughputBucketsMax) {
            return Error(ErrorCode::kBadRequest,
                         "The throughput bucket '" + std::string(bucket->substr(0, 40)) +
                             "' is not valid; it must be a number from 1 to 5.");
        }
    }
    return claim;
}

// Whether requests may come from there.
Status check_client(const Backend& backend, const Call& call) {
    if (backend.allowed_networks.empty() || call.exchange().from_loopback()) return {};
    const std::string address = call.exchange().client_address();
    for (const IpNetwork& network : backend.allowed_networks) {
        if (network.contains(address)) return {};
    }
    return Error(ErrorCode::kForbidden,
                 "Request originated from IP " + address +
                     " through public internet. This is blocked by your Cosmos DB account firewall "
                     "settings.");
}

}  // namespace

class Gateway::AdmittedCall final : public http::AdmittedRequest,
                                    public std::enable_shared_from_this<Gateway::AdmittedCall> {
public:
    AdmittedCall(const Backend& backend,
                 std::shared_ptr<http::Exchange> exchange,
                 std::string activity_id)
        : call(std::move(exchange), std::move(activity_id), backend.monitor), backend_(backend) {}

    void handle() override {
        if (call.exchange().body_too_large()) {
            return call.fail(Error(ErrorCode::kTooLarge, "Request size is too large"));
        }
        call.context.allowance.deadline =
            monotonic_now() + std::chrono::milliseconds(model::limits::kOperationMillisecondsMax);
        dispatch(backend_, CallPtr(shared_from_this(), &call));
    }

    Call call;

private:
    const Backend& backend_;
};

std::shared_ptr<http::AdmittedRequest> Gateway::admit(std::shared_ptr<http::Exchange> exchange) {
    const bool too_open = backend_.requires_tls && !exchange->secure();
    const bool answers_probes = !too_open || exchange->from_loopback();
    if (answers_probes && handlers::answer_without_key(exchange, backend_)) return nullptr;
    if (backend_.node_requests != nullptr && exchange->target().starts_with("/_node/")) {
        return backend_.node_requests->admit(std::move(exchange));
    }
    if (answer_preflight(backend_.allowed_origins, exchange)) return nullptr;
    std::string origin = allowed_origin(backend_.allowed_origins, *exchange);
    std::string activity_id = activity_id_of(*exchange);
    auto admitted =
        std::make_shared<AdmittedCall>(backend_, std::move(exchange), std::move(activity_id));
    admitted->call.allowed_origin = std::move(origin);
    if (too_open) {
        admitted->call.fail(
            Error(ErrorCode::kForbidden, "This server requires HTTPS with a client certificate."));
        return nullptr;
    }
    if (const Status prepared = prepare(admitted->call); !prepared) {
        admitted->call.fail(prepared.error());
        return nullptr;
    }
    return admitted;
}

Status Gateway::prepare(Call& call) const {
    call.path = TRY(parse_resource_path(call.exchange().target()));
    find_route(call);
    if (call.is_change_feed && handlers::wants_events(call)) TRY(call.read_headers_of_target());
    // A node has checked where the client is.
    const bool passed_on =
        backend_.forwarder != nullptr && backend_.forwarder->sender_of(call.exchange()).has_value();
    if (!passed_on) {
        call.forwarder = backend_.forwarder;
        TRY(check_client(backend_, call));
    }
    if (call.path.type == ResourceType::kAddress) {
        // Checked before the signature, which for addresses covers the resource in the query
        // string.
        return Error(ErrorCode::kNotImplemented,
                     "Direct mode is not supported by this server; use gateway mode.");
    }
    call.context.principal = TRY(identify(call));
    if (call.action && auth::is_management(*call.action)) {
        call.client_address = call.exchange().client_address();
        if (call.client_address.empty()) call.client_address = "unknown";
    }
    call.context.request = TRY(read_request(call));
    call.context.request.account_consistency = backend_.consistency;
    TRY(authorize(backend_, call));
    call.context.allowance.memory = &backend_.query_memory;
    call.context.allowance.claim = TRY(read_claim(call));
    return {};
}

Result<auth::Principal> Gateway::identify(Call& call) const {
    const auth::SignedParts parts{.method = call.exchange().method(),
                                  .resource_type = call.path.type_name,
                                  .other_resource_type = call.path.other_type_name,
                                  .resource_links = call.path.signed_links,
                                  .x_ms_date = call.header(header::kXMsDate),
                                  .date = call.header(header::kDate)};
    auto principal = backend_.authenticator.identify(
        call.header(header::kAuthorization), parts, backend_.clock.now_seconds());
    if (!principal) {
        call.refusal_delay =
            backend_.failed_logins.note({.activity_id = call.activity_id(),
                                         .address = call.exchange().client_address(),
                                         .reason = auth::failure_of(principal.error())},
                                        monotonic_now());
    }
    return principal;
}

// The client's id if it is well-formed; it is repeated in logs and errors.
std::string Gateway::activity_id_of(const http::Exchange& exchange) {
    constexpr std::size_t kLengthMax = 64;
    const auto given = exchange.header(header::kActivityId);
    const bool plain = given && !given->empty() && given->size() <= kLengthMax &&
                       std::all_of(given->begin(), given->end(), [](unsigned char c) {
                           return std::isalnum(c) != 0 || c == '-';
                       });
    return plain ? std::string(*given) : activity_ids_.next();
}

http::Response Gateway::refuse(unsigned status, std::string_view reason) {
    backend_.monitor.count_refused(status);
    http::Response response;
    response.status = status;
    const std::string activity_id = activity_ids_.next();
    response.add_header(header::kContentType, "application/json");
    response.add_header(header::kActivityId, activity_id);
    if (status == 503) response.add_header(header::kRetryAfterMs, "100");
    response.body = error_body(status, reason, activity_id, "");
    response.close = true;
    return response;
}

}  // namespace orrery::gateway
