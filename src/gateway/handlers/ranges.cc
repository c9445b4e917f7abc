#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "json/value.h"
#include "service/errors.h"

namespace orrery::gateway::handlers {

namespace {

using json::Value;

// Two decimals are enough for people and machines.
Value number(double value) {
    auto parsed = Value::parse(fmt::format("{:.2f}", value));
    return parsed ? std::move(parsed).take() : Value(0);
}

bool wants_details(const Call& call) {
    const std::string_view target = call.exchange().target();
    const std::size_t mark = target.find('?');
    return mark != std::string_view::npos &&
           target.substr(mark).find("x-orrery-details=true") != std::string_view::npos;
}

Value details_of(const Backend& backend,
                 const catalog::Container& container,
                 const service::RangeReport& usage) {
    Value out(Value::Object{});
    out.set("id", std::to_string(usage.range_id));
    out.set("sizeInBytes", static_cast<std::int64_t>(usage.item_bytes));
    out.set("documentCount", static_cast<std::int64_t>(usage.item_count));
    const throughput::Account::Usage& budget = usage.budget;
    out.set("requestUnitsPerSecond", number(budget.last_second));
    if (std::isfinite(budget.rate) && budget.rate > 0) {
        out.set("provisionedRequestUnitsPerSecond", number(budget.rate));
        out.set("normalizedConsumption", number(budget.busiest_second / budget.rate));
    }
    out.set("throttledRequests", static_cast<std::int64_t>(budget.refused));
    Value::Array keys;
    for (const throughput::HotKey& hot : usage.hottest_keys) {
        Value key(Value::Object{});
        auto parsed = Value::parse(hot.key);
        key.set("partitionKey", parsed ? std::move(parsed).take() : Value());
        key.set("share", number(hot.share));
        keys.push_back(std::move(key));
    }
    out.set("hottestPartitionKeys", std::move(keys));
    if (const auto progress = backend.repartitioning.progress(container.rid, usage.range_id)) {
        Value under_way(Value::Object{});
        under_way.set("step", progress->step);
        under_way.set("changesCopied", static_cast<std::int64_t>(progress->changes_copied));
        out.set("repartitioning", std::move(under_way));
    }
    return out;
}

// The ranges as always, and beside them what is known about each.
Status add_details(const Backend& backend, const catalog::Container& container, std::string& body) {
    const service::ContainerUsage usage = TRY(backend.items.usage(container));
    Value::Array details;
    for (const service::RangeReport& range : usage.ranges)
        details.push_back(details_of(backend, container, range));
    body.pop_back();  // the brace at the end
    body.append(",\"details\":").append(Value(std::move(details)).text()).append("}");
    return {};
}

Result<std::uint32_t> range_id_of(const Call& call) {
    const std::string& text = call.path.ids[2];
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size()) {
        return service::bad_request("The partition key range id is not valid.");
    }
    return id;
}

// Where to split, if the body says so: {"at":"<EPK in hex>"}.
Result<std::optional<std::string>> place_in(std::string_view body) {
    if (body.empty()) return std::optional<std::string>();
    const Value value = TRY(Value::parse(body));
    const Value* at = value.find("at");
    if (at == nullptr) return std::optional<std::string>();
    auto epk = at->is_string() ? model::parse_epk(at->string()) : std::nullopt;
    if (!epk) return service::bad_request("'at' must be an effective partition key in hex.");
    return std::optional(std::move(*epk));
}

void respond_accepted(Call& call, const Status& begun) {
    if (!begun) return call.fail(begun.error());
    call.respond(call.make_response(202));
}

}  // namespace

void list_ranges(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    const bool detailed = wants_details(*call);
    using PrincipalKind = auth::Principal::Kind;
    const PrincipalKind kind = call->context.principal.kind;
    if (detailed && kind != PrincipalKind::kAccountKey && kind != PrincipalKind::kReadOnlyKey) {
        // They show partition keys that a token may have nothing to do with.
        return call->fail(service::insufficient_permissions());
    }
    if (detailed && !call->context.allowance.may_block) {
        const Error elsewhere(ErrorCode::kWouldBlock, "it may open partitions");
        if (!run_again(backend, call, elsewhere)) call->fail(elsewhere);
        return;
    }
    // Any A-IM value requests the incremental protocol; SDKs spell it differently.
    const bool incremental = call->header(header::kAim).has_value();
    const auto answer =
        backend.resources.list_ranges(call->context, *found->container, incremental);
    if (!answer) return call->fail(answer.error());
    http::Response response =
        answer->not_modified
            ? call->make_response(304)
            : call->make_feed(found->container->rid.text(), "PartitionKeyRanges", answer->page);
    if (answer->not_modified) response.add_header(header::kItemCount, "0");
    if (detailed && !answer->not_modified) {
        const Status added = add_details(backend, *found->container, response.body);
        if (!added && run_again(backend, call, added.error())) return;
        if (!added) return call->fail(added.error());
    }
    response.add_header(header::kEtag, answer->etag);
    add_container_headers(response, *found);
    call->respond(std::move(response));
}

void split_range(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    const auto id = range_id_of(*call);
    if (!id) return call->fail(id.error());
    auto at = place_in(call->exchange().body());
    if (!at) return call->fail(at.error());
    respond_accepted(*call,
                     backend.repartitioning.split(*found->container, *id, std::move(at).take()));
}

void merge_range(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    const auto id = range_id_of(*call);
    if (!id) return call->fail(id.error());
    respond_accepted(*call, backend.repartitioning.merge(*found->container, *id));
}

void read_range(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    respond_with(*call, 200, backend.resources.read_range(*found->container, call->path.ids[2]));
}

}  // namespace orrery::gateway::handlers
