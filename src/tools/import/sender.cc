#include "tools/import/sender.h"

#include <algorithm>
#include <map>
#include <thread>

#include "base/stopwatch.h"
#include "json/text.h"
#include "model/item_body.h"

namespace orrery::tools {

namespace {

using client::Response;
using json::Value;

// A range that has moved is found by reading the ranges again, at the latest when its split is
// complete.
constexpr std::chrono::milliseconds kMovedWait{50};
constexpr std::chrono::milliseconds kRetryWait{100};
constexpr std::chrono::milliseconds kPauseSlice{50};
// Of one batch, for other reasons than too few request units.
constexpr unsigned kRoundsMax = 200;
constexpr unsigned kLostAnswersMax = 5;

std::string batch_body(const Batch& items, ImportMode mode) {
    const std::string_view type = mode == ImportMode::kUpsert ? "Upsert" : "Create";
    std::string out = "[";
    for (const Outgoing& one : items) {
        if (out.size() > 1) out += ',';
        out.append("{\"operationType\":\"").append(type).append("\",\"partitionKey\":");
        json::append_quoted(out, one.item.partition_key);
        out.append(",\"resourceBody\":").append(one.item.json).append("}");
    }
    return out + "]";
}

std::uint64_t count_in(const Value& object, std::string_view name) {
    const Value* const found = object.find(name);
    const auto value = found != nullptr && found->is_number() ? found->integer() : std::nullopt;
    return value ? static_cast<std::uint64_t>(std::max<std::int64_t>(0, *value)) : 0;
}

// What an import must not go on after: the others would fail in the same way.
bool concerns_all(unsigned status, std::uint32_t sub_status) {
    if (status == 403) return sub_status != client::kLogicalPartitionFull;
    return status == 401 || status == 404 || status >= 500;
}

}  // namespace

Status Sender::send(Batch batch) {
    unsigned rounds = 0;
    while (!batch.empty() && !shared_.ended()) {
        std::map<std::string, Batch> parts;
        for (Outgoing& one : batch) {
            parts[shared_.routes.range_of(one.item.epk)].push_back(std::move(one));
        }
        left_.clear();
        wait_ = std::chrono::milliseconds(0);
        moved_ = false;
        throttled_ = false;
        for (auto& [range, part] : parts) {
            if (shared_.ended()) return {};
            TRY(send_part(range, std::move(part)));
        }
        batch = std::move(left_);
        if (batch.empty() || shared_.ended()) break;
        if (moved_) TRY(shared_.routes.refresh(client_));
        if (!throttled_ && ++rounds == kRoundsMax) {
            return Error(ErrorCode::kUnavailable, "the server keeps refusing items for now");
        }
        pause(wait_);
    }
    return {};
}

Status Sender::send_part(const std::string& range, Batch part) {
    return part.size() == 1 ? send_alone(std::move(part.front()))
                            : send_together(range, std::move(part));
}

Status Sender::send_together(const std::string& range, Batch part) {
    const auto response = TRY(request({.path = shared_.items,
                                       .headers = {{"x-ms-cosmos-is-batch-request", "True"},
                                                   {"x-ms-cosmos-batch-atomic", "False"},
                                                   {"x-ms-cosmos-batch-continue-on-error", "True"},
                                                   {"x-ms-documentdb-partitionkeyrangeid", range}},
                                       .body = batch_body(part, shared_.mode)},
                                      part));
    if (!response) return {};
    if (response->ok()) return judge_all(*response, std::move(part));
    if (concerns_all(response->status, response->sub_status())) return client::error_of(*response);
    // It refuses them together, or batches altogether.
    for (Outgoing& one : part) {
        TRY(send_alone(std::move(one)));
    }
    return {};
}

Status Sender::send_alone(Outgoing item) {
    client::Headers headers = {{"x-ms-documentdb-partitionkey", item.item.partition_key}};
    if (shared_.mode == ImportMode::kUpsert) {
        headers.emplace_back("x-ms-documentdb-is-upsert", "True");
    }
    client::Request one{
        .path = shared_.items, .headers = std::move(headers), .body = item.item.json};
    Batch part;
    part.push_back(std::move(item));
    const auto response = TRY(request(std::move(one), part));
    if (!response) return {};
    const bool conflict = response->status == 409;
    if (!response->ok() && !conflict && concerns_all(response->status, response->sub_status())) {
        return client::error_of(*response);
    }
    Answer answer{.status = response->status, .sub_status = response->sub_status()};
    if (!response->ok()) answer.reason = client::error_of(*response).message();
    return judge(std::move(part.front()), answer);
}

Result<std::optional<Response>> Sender::request(client::Request request, Batch& part) {
    if (shared_.ended()) return std::optional<Response>();
    request.method = "POST";
    request.headers.emplace_back("Prefer", "return=minimal");
    request.idempotent = shared_.mode != ImportMode::kCreate;
    auto response = client_.send(request);
    const auto postpone_all = [&](std::chrono::milliseconds wait) {
        for (Outgoing& one : part) {
            postpone(std::move(one), wait);
        }
        return std::optional<Response>();
    };
    if (!response) {
        if (shared_.ended()) return std::optional<Response>();
        const bool lost = response.error().code() == ErrorCode::kTimeout && !request.idempotent;
        if (!lost || ++lost_answers_ == kLostAnswersMax) return std::move(response).take_error();
        for (Outgoing& one : part) {
            one.uncertain = true;
        }
        return postpone_all(kRetryWait);
    }
    lost_answers_ = 0;
    shared_.progress.add_charge(response->charge);
    shared_.throttled += response->throttled;
    if (response->status == 410) {
        moved_ = true;
        return postpone_all(kMovedWait);
    }
    // The client has waited for long, but this passes some time.
    if (response->status == 429) {
        throttled_ = true;
        return postpone_all(kRetryWait);
    }
    return std::optional(*std::move(response));
}

Status Sender::judge_all(const Response& response, Batch part) {
    const auto results = Value::parse(response.body());
    if (!results || !results->is_array() || results->array().size() != part.size()) {
        return Error(ErrorCode::kInternal, "the server's answer to a batch is not one");
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
        const Value& result = results->array()[i];
        const Answer answer{
            .status = static_cast<unsigned>(count_in(result, "statusCode")),
            .sub_status = static_cast<std::uint32_t>(count_in(result, "subStatusCode")),
            .retry_after = std::chrono::milliseconds(count_in(result, "retryAfterMilliseconds"))};
        TRY(judge(std::move(part[i]), answer));
    }
    return {};
}

Status Sender::judge(Outgoing item, const Answer& answer) {
    switch (answer.status) {
        case 200:
        case 201:
            settle(item, Fate::kLoaded);
            return {};
        case 409:
            return judge_conflict(std::move(item), answer);
        case 410:
            moved_ = true;
            postpone(std::move(item), kMovedWait);
            return {};
        case 429:
            ++shared_.throttled;
            throttled_ = true;
            postpone(std::move(item), std::max(answer.retry_after, std::chrono::milliseconds(1)));
            return {};
        case 408:
        case 424:
        case 449:
        case 503:
            postpone(std::move(item), std::max(answer.retry_after, kRetryWait));
            return {};
        default:
            break;
    }
    // The result of an operation has no message, but the answer to a single request has.
    if (!answer.reason) return send_alone(std::move(item));
    fail(std::move(item), *answer.reason);
    return {};
}

Status Sender::judge_conflict(Outgoing item, const Answer& answer) {
    constexpr const char* kUniqueKey = "another item has the same unique key";
    if (shared_.mode == ImportMode::kUpsert) {
        fail(std::move(item), answer.reason.value_or(kUniqueKey));
        return {};
    }
    const bool creates = shared_.mode == ImportMode::kCreate;
    const bool perhaps_ours = creates && (item.uncertain || shared_.resumed);
    if (shared_.has_unique_keys || perhaps_ours) {
        const auto there = TRY(read(item.item));
        if (!there) {
            fail(std::move(item), answer.reason.value_or(kUniqueKey));
            return {};
        }
        const auto ours = Value::parse(item.item.json);
        if (perhaps_ours && ours && *ours == *there) {
            settle(item, Fate::kLoaded);
            return {};
        }
    }
    if (creates) {
        fail(std::move(item), "there is an item with this id and partition key already");
    } else {
        settle(item, Fate::kSkipped);
    }
    return {};
}

Result<std::optional<Value>> Sender::read(const Item& item) {
    const auto response =
        TRY(client_.send({.path = shared_.items / item.id,
                          .headers = {{"x-ms-documentdb-partitionkey", item.partition_key}}}));
    if (response.status == 404) return std::optional<Value>();
    if (!response.ok()) return client::error_of(response);
    Value found = TRY(Value::parse(response.body()));
    Value::Object members;
    for (const Value::Member& member : found.object()) {
        if (!model::is_system_property(member.name)) members.push_back(member);
    }
    return std::optional(Value(std::move(members)));
}

void Sender::settle(const Outgoing& item, Fate fate) {
    shared_.window.settle(item.ticket, {.fate = fate});
}

void Sender::fail(Outgoing item, std::string reason) {
    shared_.window.settle(
        item.ticket,
        {.fate = Fate::kFailed, .reason = std::move(reason), .item = std::move(item.item.json)});
}

void Sender::postpone(Outgoing item, std::chrono::milliseconds wait) {
    wait_ = std::max(wait_, wait);
    left_.push_back(std::move(item));
}

void Sender::pause(std::chrono::milliseconds time) const {
    const auto until = monotonic_now() + time;
    while (!shared_.ended() && monotonic_now() < until) {
        std::this_thread::sleep_for(
            std::min<std::chrono::nanoseconds>(kPauseSlice, until - monotonic_now()));
    }
}

}  // namespace orrery::tools
