#include "client/pages.h"

#include <utility>

#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

namespace orrery::client {

namespace {

std::string query_body(const Query& query) {
    json::Value::Object body;
    body.push_back({"query", query.text});
    body.push_back({"parameters", query.parameters});
    return json::Value(std::move(body)).text();
}

}  // namespace

Headers selection_headers(const Selection& selection) {
    Headers out = {{"x-ms-max-item-count", std::to_string(selection.page_items)}};
    if (selection.partition_key) {
        out.emplace_back("x-ms-documentdb-partitionkey", *selection.partition_key);
    }
    if (selection.range) {
        out.emplace_back("x-ms-start-epk", selection.range->min_inclusive);
        out.emplace_back("x-ms-end-epk", selection.range->max_exclusive);
        out.emplace_back("x-ms-read-key-type", "EffectivePartitionKeyRange");
    }
    out.insert(out.end(), selection.headers.begin(), selection.headers.end());
    return out;
}

Request page_request(const Path& path,
                     const std::optional<Query>& query,
                     const Selection& selection,
                     const std::string& continuation) {
    Request request{
        .method = query ? "POST" : "GET", .path = path, .headers = selection_headers(selection)};
    if (query) {
        request.headers.emplace_back("x-ms-documentdb-isquery", "True");
        request.headers.emplace_back("Content-Type", "application/query+json");
        if (!selection.partition_key) {
            request.headers.emplace_back("x-ms-documentdb-query-enablecrosspartition", "True");
        }
        request.body = query_body(*query);
        request.idempotent = true;
    }
    if (!continuation.empty()) request.headers.emplace_back("x-ms-continuation", continuation);
    return request;
}

Result<std::string> object_body(const Response& response) {
    const std::string& text = response.body();
    auto out = text.starts_with('{') && json::check(text) ? json::minify(text) : std::nullopt;
    if (!out) return Error(ErrorCode::kInternal, "the server's answer is not JSON");
    return *std::move(out);
}

Pages::Pages(Client& client, Path path, Selection selection)
    : client_(client), path_(std::move(path)), selection_(std::move(selection)) {}

Pages::Pages(Client& client, Path path, Query query, Selection selection)
    : client_(client),
      path_(std::move(path)),
      selection_(std::move(selection)),
      query_(std::move(query)) {}

Result<std::optional<Page>> Pages::next() {
    if (ended_) return std::optional<Page>();
    const Request request = page_request(path_, query_, selection_, continuation_);
    Response response = TRY(client_.call(request));
    continuation_ = response.header("x-ms-continuation");
    ended_ = continuation_.empty();
    return std::optional(Page{.response = std::move(response)});
}

Result<std::vector<Range>> read_ranges(Client& client, const Path& container) {
    std::vector<Range> out;
    Pages pages(client, container / "pkranges");
    while (auto page = TRY(pages.next())) {
        for (const std::string_view range : TRY(page->elements())) {
            const auto text = [&](std::string_view name) {
                const auto found = json::find_member(range, name);
                return found && found->starts_with('"') ? json::unquote(*found) : std::string();
            };
            out.push_back({text("id"), text("minInclusive"), text("maxExclusive")});
        }
    }
    return out;
}

}  // namespace orrery::client
