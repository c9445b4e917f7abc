#include "gateway/call.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.h"
#include "base/log.h"
#include "base/percent.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "gateway/status.h"
#include "json/text.h"
#include "model/session_token.h"

namespace orrery::gateway {

namespace {

// With three decimals.
std::string in_milliseconds(std::chrono::nanoseconds duration) {
    const auto microseconds = static_cast<std::uint64_t>(duration.count()) / 1000;
    std::string text = std::to_string(microseconds / 1000) + ".000";
    std::size_t at = text.size();
    for (std::uint64_t rest = microseconds % 1000; rest > 0; rest /= 10) {
        text[--at] = static_cast<char>('0' + rest % 10);
    }
    return text;
}

// With up to two decimals. Every answer has one, so it is printed without the help of printf.
std::string charge_text(double charge) {
    const auto hundredths = static_cast<std::uint64_t>(std::lround(charge * 100));
    std::string text = std::to_string(hundredths / 100);
    if (hundredths % 100 == 0) return text;
    text += '.';
    text += static_cast<char>('0' + hundredths / 10 % 10);
    if (hundredths % 10 != 0) text += static_cast<char>('0' + hundredths % 10);
    return text;
}

// The session token and the LSN of the partition.
void add_position_headers(http::Response& response,
                          const service::Position& position,
                          service::ApiVersion version) {
    std::string token;
    model::append_session_token(
        token,
        {.range_id = position.range_id, .version = position.version, .lsn = position.lsn},
        version < service::kVectorSessionTokens ? model::SessionTokenForm::kSimple
                                                : model::SessionTokenForm::kVector);
    response.add_header(header::kSessionToken, token);
    const std::string lsn = std::to_string(position.lsn);
    response.add_header(header::kRangeId, std::to_string(position.range_id));
    response.add_header(header::kLsn, lsn);
    response.add_header(header::kLocalLsn, lsn);
    response.add_header(header::kGlobalCommittedLsn, lsn);
    response.add_header(header::kNumberOfReadRegions, "0");
}

}  // namespace

std::optional<std::string_view> Call::header(std::string_view name) const {
    const auto value = exchange_->header(name);
    if (value || headers_of_target_.empty()) return value;
    for (const auto& [given, text] : headers_of_target_) {
        if (given == name) return text;
    }
    return std::nullopt;
}

Status Call::read_headers_of_target() {
    // No signature of an account key is among them, because that needs a date.
    constexpr std::array kNames = {header::kAuthorization,
                                   header::kIfModifiedSince,
                                   header::kIfNoneMatch,
                                   header::kPartitionKey};
    const std::string_view target = exchange_->target();
    std::string_view rest = target.substr(std::min(target.find('?'), target.size() - 1) + 1);
    while (!rest.empty()) {
        const std::string_view parameter = rest.substr(0, rest.find('&'));
        rest.remove_prefix(std::min(parameter.size() + 1, rest.size()));
        const std::string_view name = parameter.substr(0, parameter.find('='));
        const auto known = std::find_if(kNames.begin(), kNames.end(), [&](std::string_view one) {
            return same_word(one, name);
        });
        if (known == kNames.end()) continue;
        auto value = percent_decode(parameter.substr(std::min(name.size() + 1, parameter.size())));
        if (!value) {
            return Error(ErrorCode::kBadRequest, "The query string of the request is not valid.");
        }
        headers_of_target_.emplace_back(*known, *std::move(value));
    }
    return {};
}

bool Call::flag(std::string_view name) const {
    const auto value = header(name);
    return value && same_word(*value, "true");
}

bool Call::wants_minimal() const {
    const auto prefer = header(header::kPrefer);
    return prefer && prefer->find("return=minimal") != std::string_view::npos;
}

std::optional<TraceContext> Call::trace() const {
    const auto value = header(header::kTraceparent);
    return value ? parse_traceparent(*value) : std::nullopt;
}

http::Response Call::make_response(unsigned status, std::string_view content_type) const {
    http::Response response;
    response.status = status;
    response.headers.reserve(1024);
    response.add_header(header::kContentType, content_type);
    response.add_header(header::kActivityId, activity_id_);
    response.add_header(header::kRequestCharge, charge_text(charge_for(status)));
    response.add_header(header::kRequestDuration, in_milliseconds(timer_.elapsed()));
    response.add_header(header::kServiceVersion, "version=" ORRERY_VERSION);
    response.add_header(header::kGatewayVersion, "version=" ORRERY_VERSION);
    response.add_header(header::kSchemaVersion, "1.18");
    if (const auto correlated = header(header::kCorrelatedActivityId)) {
        response.add_header(header::kCorrelatedActivityId, *correlated);
    }
    if (context.receipt.position) {
        add_position_headers(response, *context.receipt.position, context.request.api_version);
    }
    return response;
}

http::Response Call::make_feed(std::string_view rid,
                               std::string_view element_name,
                               service::Page page) const {
    http::Response response = make_response(200);
    response.add_header(header::kItemCount, std::to_string(page.count));
    if (page.continuation) response.add_header(header::kContinuation, *page.continuation);
    response.body_begin = "{\"_rid\":";
    json::append_quoted(response.body_begin, rid);
    response.body_begin.append(",\"").append(element_name).append("\":[");
    response.body = std::move(page.elements);
    response.body.append("],\"_count\":").append(std::to_string(page.count)).append("}");
    return response;
}

http::Response Call::make_error(const Error& error) const {
    const unsigned status = http_status(error.code());
    http::Response response = make_response(status);
    if (error.sub_status() != 0) {
        response.add_header(header::kSubStatus, std::to_string(error.sub_status()));
    }
    if (const auto wait = error.retry_after()) {
        response.add_header(header::kRetryAfterMs, std::to_string(wait->count()));
    }
    if (error.code() == ErrorCode::kElsewhere)
        response.add_header(header::kElsewhere, error.info());
    // What is not implemented is no failure.
    if (status >= 500 && error.code() != ErrorCode::kNotImplemented &&
        error.code() != ErrorCode::kElsewhere) {
        monitor_.log_failure({.activity_id = activity_id_,
                              .operation = operation(),
                              .status = status,
                              .sub_status = error.sub_status(),
                              .reason = error.message(),
                              .trace = trace()});
    }
    response.body =
        error_body(status, error.message(), activity_id_, exchange_->target(), error.info());
    return response;
}

void Call::forward(const Error& elsewhere) {
    if (handlers::wants_events(*this)) {
        return fail(Error(ErrorCode::kNotImplemented,
                          "Streams of changes from partitions that another node of the cluster "
                          "serves are not supported; poll the change feed."));
    }
    // The exchange outlives this call, which ends here.
    const std::shared_ptr<http::Exchange> exchange = exchange_;
    forwarder->forward(
        exchange,
        activity_id_,
        elsewhere.info(),
        context.allowance.deadline,
        [exchange, activity_id = activity_id_](const Error& error) {
            http::Response response;
            response.status = http_status(error.code());
            response.add_header(header::kContentType, "application/json");
            response.add_header(header::kActivityId, activity_id);
            if (const auto wait = error.retry_after()) {
                response.add_header(header::kRetryAfterMs, std::to_string(wait->count()));
            }
            response.body =
                error_body(response.status, error.message(), activity_id, exchange->target());
            return response;
        });
}

void Call::log_management(unsigned status) const {
    const std::string who = auth::describe(context.principal);
    const std::string_view target = exchange_->target();
    log::info("management",
              {{"activity_id", activity_id_},
               {"operation", operation().name()},
               {"method", exchange_->method()},
               {"path", header_text(target.substr(0, target.find('?')))},
               {"who", who},
               {"client", client_address},
               {"status", status}});
}

std::string header_text(std::string_view text) {
    std::string out;
    append_header_text(out, text);
    return out;
}

void append_header_text(std::string& out, std::string_view text) {
    constexpr char kHex[] = "0123456789ABCDEF";
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
    if (plain) {
        out.append(text);
        return;
    }
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte < 0x7f) {
            out += c;
        } else {
            out += '%';
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        }
    }
}

void add_container_headers(http::Response& response, const service::FoundContainer& found) {
    std::string path = "dbs/";
    path.reserve(128);
    append_header_text(path, found.database->name);
    path += "/colls/";
    append_header_text(path, found.container->definition.id);
    response.add_header(header::kAltContentPath, path);
    response.add_header(header::kContentPath, found.container->rid.text());
}

void add_database_headers(http::Response& response, const catalog::Database& database) {
    response.add_header(header::kAltContentPath, "dbs/" + header_text(database.name));
    response.add_header(header::kContentPath, database.rid.text());
}

}  // namespace orrery::gateway
