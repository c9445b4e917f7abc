// Feeds and queries, page by page.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/client.h"
#include "client/elements.h"

namespace orrery::client {

// One range of a container's hash space.
struct Range {
    std::string id;
    std::string min_inclusive;  // hexadecimal
    std::string max_exclusive;

    bool operator==(const Range&) const = default;
};

Result<std::vector<Range>> read_ranges(Client& client, const Path& container);

// Which items, and in what pages.
struct Selection {
    // Of one partition key value, as JSON: ["a"].
    std::optional<std::string> partition_key = std::nullopt;
    // Of a part of the hash space. It may cover several physical partitions, or less than one.
    std::optional<Range> range = std::nullopt;
    int page_items = -1;  // as many as fit
    Headers headers = {};
};

struct Query {
    std::string text;
    json::Value parameters = json::Value::Array{};
};

// The body of an answer, validated and minified: what json::Walk takes. kInternal if it is not an
// object.
Result<std::string> object_body(const Response& response);

struct Page {
    Response response;

    // Those of "Documents", "Databases" … They must not outlive the page.
    Result<Elements> elements() const { return Elements::of(response.body()); }
};

// What the requests for a selection's pages say.
Headers selection_headers(const Selection& selection);
// Asks for one page of a feed, or of a query's results; empty: the first one.
Request page_request(const Path& path,
                     const std::optional<Query>& query,
                     const Selection& selection,
                     const std::string& continuation);

// Walks a feed (GET) or the results of a query (POST). Ranges that have split in the meantime are
// the server's concern: they are addressed by their place in the hash space.
class Pages {
public:
    Pages(Client& client, Path path, Selection selection = {});
    Pages(Client& client, Path path, Query query, Selection selection = {});
    // Continues after the page with this continuation.
    void resume(std::string continuation) { continuation_ = std::move(continuation); }

    // The next page; nothing after the last one. After an error the same page can be asked for
    // again.
    Result<std::optional<Page>> next();

    // Of the last page; empty when there are no more.
    const std::string& continuation() const { return continuation_; }

private:
    Client& client_;
    const Path path_;
    const Selection selection_;
    const std::optional<Query> query_;
    std::string continuation_;
    bool ended_ = false;
};

}  // namespace orrery::client
