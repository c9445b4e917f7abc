#include "tools/bench/operations.h"

#include <charconv>

#include <fmt/format.h>

#include "json/text.h"

namespace orrery::tools::bench {

namespace {

using client::Request;
using client::Response;

constexpr const char* kKeyHeader = "x-ms-documentdb-partitionkey";
// YCSB's: a scan has a uniform length from 1 up to it.
constexpr std::uint64_t kScanItemsMax = 100;
constexpr std::uint32_t kConflictsMax = 1000;

// c["address"]["city"]
std::string property(const json::Path& path) {
    std::string out = "c";
    for (const std::string& name : path) {
        out += "[" + json::quote(name) + "]";
    }
    return out;
}

json::Value parameter(const std::string& name, json::Value value) {
    json::Value::Object out;
    out.push_back({"name", name});
    out.push_back({"value", std::move(value)});
    return out;
}

std::uint64_t item_count(const Response& response) {
    const std::string text = response.header("x-ms-item-count");
    std::uint64_t out = 0;
    std::from_chars(text.data(), text.data() + text.size(), out);
    return out;
}

// Refusals that the client repeats, unless it is interrupted.
bool is_repeated(unsigned status) { return status == 429 || status == 449 || status == 503; }

// All operations would fail like this one: the key is wrong or allows too little, or the container
// is gone. Other requests than POST can be about an item that is missing.
bool is_hopeless(const Request& request, const Response& response) {
    if (response.status == 403) return response.sub_status() != client::kLogicalPartitionFull;
    return response.status == 401 || (response.status == 404 && request.method == "POST");
}

}  // namespace

Operations::Operations(client::Client& client,
                       const Space& space,
                       ItemNumbers& numbers,
                       const ItemChooser& chooser,
                       const std::atomic<bool>& ending)
    : client_(client),
      space_(space),
      numbers_(numbers),
      ending_(ending),
      items_(space.container / "docs"),
      chooser_(chooser),
      random_(chooser_.next_seed()) {}

Outcome Operations::perform(Operation operation) {
    switch (operation) {
        case Operation::kInsert:
            return insert();
        case Operation::kRead:
            return read();
        case Operation::kUpdate:
            return update();
        case Operation::kReadModifyWrite:
            return read_modify_write();
        case Operation::kScan:
            return scan();
        case Operation::kQuery:
            return query();
        default:
            return remove();
    }
}

Outcome Operations::insert() {
    const std::uint64_t number = numbers_.take();
    Request request{
        .method = "POST",
        .path = items_,
        .headers = {{kKeyHeader, space_.item.partition_key(number)}, {"Prefer", "return=minimal"}},
        .body = space_.item.body(number),
        .idempotent = upsert_};
    if (upsert_) request.headers.emplace_back("x-ms-documentdb-is-upsert", "True");
    Outcome out;
    send(request, out);
    numbers_.settle(number);
    return out;
}

Outcome Operations::read() {
    Outcome out;
    send(item_request("GET", choose()), out);
    return out;
}

Outcome Operations::update() {
    const std::uint64_t number = choose();
    Request request = item_request("PUT", number);
    request.body = space_.item.body(number, new_version());
    Outcome out;
    send(request, out);
    return out;
}

// Reads an item and replaces it unless it has changed meanwhile; then both are repeated.
Outcome Operations::read_modify_write() {
    const std::uint64_t number = choose();
    const Request get = item_request("GET", number);
    Request put = item_request("PUT", number);
    put.headers.emplace_back("If-Match", "");
    Outcome out;
    while (true) {
        const auto item = send(get, out);
        if (!item) return out;
        put.headers.back().second = item->header("etag");
        put.body = space_.item.body(number, new_version());
        if (send(put, out)) return out;
        if (out.status != 412 || out.conflicts == kConflictsMax) return out;
        ++out.conflicts;
        out.problem.clear();
    }
}

Outcome Operations::scan() {
    const auto first = static_cast<std::int64_t>(choose());
    const auto length = static_cast<std::int64_t>(1 + random_.below(kScanItemsMax));
    const std::string number = property(*space_.item.sequence_path());
    client::Query query{
        .text = fmt::format("SELECT * FROM c WHERE {0} >= @first AND {0} < @until", number)};
    query.parameters =
        json::Value::Array{parameter("@first", first), parameter("@until", first + length)};
    return run_query(query, {});
}

Outcome Operations::query() {
    if (space_.query) {
        const Draw draw{.seed = random_.next(), .number = numbers_.limit() > 0 ? choose() : 0};
        // One answer for the whole container from a server that merges those of its partitions.
        return run_query({.text = space_.query->render(draw)},
                         {.headers = {{"x-orrery-merge-partitions", "True"}}});
    }
    const std::uint64_t number = choose();
    client::Query query{.text = "SELECT * FROM c"};
    json::Value::Array parameters;
    for (const std::string& text : space_.item.key_values(number)) {
        const std::size_t at = parameters.size();
        const std::string name = fmt::format("@key{}", at);
        query.text += fmt::format(
            " {} {} = {}", at == 0 ? "WHERE" : "AND", property(space_.key_paths[at]), name);
        auto value = json::Value::parse(text);
        parameters.push_back(parameter(name, value ? *std::move(value) : json::Value()));
    }
    query.parameters = std::move(parameters);
    return run_query(query, {.partition_key = space_.item.partition_key(number)});
}

Outcome Operations::remove() {
    Outcome out;
    send(item_request("DELETE", numbers_.take()), out);
    // It was not inserted after all.
    if (out.status == 404) out.finished = false;
    return out;
}

Outcome Operations::run_query(const client::Query& query, const client::Selection& selection) {
    Outcome out;
    std::string continuation;
    do {
        const auto page = send(client::page_request(items_, query, selection, continuation), out);
        if (!page) return out;
        out.items += item_count(*page);
        continuation = page->header("x-ms-continuation");
    } while (!continuation.empty());
    return out;
}

std::optional<Response> Operations::send(const Request& request, Outcome& outcome) {
    auto response = client_.send(request);
    if (!response) {
        const Error& error = response.error();
        const bool not_sent = error.code() == ErrorCode::kUnavailable;
        outcome.finished = error.message() != client::kInterrupted && !(not_sent && ending_);
        outcome.status = 0;
        outcome.problem = error.message();
        outcome.hopeless = not_sent;
        return std::nullopt;
    }
    outcome.charge += response->charge;
    outcome.throttled += response->throttled + (response->status == 429 ? 1 : 0);
    outcome.status = response->status;
    if (response->ok()) return *std::move(response);
    outcome.finished = !(is_repeated(outcome.status) && ending_);
    outcome.problem = client::error_of(*response).message();
    outcome.hopeless = is_hopeless(request, *response);
    return std::nullopt;
}

Request Operations::item_request(std::string method, std::uint64_t number) const {
    Request out{.method = std::move(method),
                .path = items_ / space_.item.id(number),
                .headers = {{kKeyHeader, space_.item.partition_key(number)}},
                .idempotent = true};
    if (out.method == "PUT") out.headers.emplace_back("Prefer", "return=minimal");
    return out;
}

}  // namespace orrery::tools::bench
