#include "client/changes.h"

#include <utility>

namespace orrery::client {

namespace {

constexpr unsigned kNotModified = 304;

}  // namespace

Changes::Changes(Client& client, Path items, Selection selection)
    : client_(client), items_(std::move(items)), selection_(std::move(selection)) {}

Result<std::optional<Page>> Changes::next() {
    Request request{.path = items_, .headers = selection_headers(selection_)};
    request.headers.emplace_back("A-IM", "Incremental Feed");
    if (!position_.empty()) request.headers.emplace_back("If-None-Match", position_);
    Response response = TRY(client_.call(request));
    std::string position = response.header("etag");
    if (position.empty()) {
        return Error(ErrorCode::kInternal, "the server's answer is not a page of the change feed");
    }
    if (response.status == kNotModified) {
        position_ = std::move(position);
        return std::optional<Page>();
    }
    position_ = std::move(position);
    return std::optional(Page{.response = std::move(response)});
}

}  // namespace orrery::client
