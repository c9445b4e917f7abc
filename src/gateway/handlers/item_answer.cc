#include "gateway/handlers/item_answer.h"

#include "gateway/handlers/item_status.h"
#include "gateway/headers.h"
#include "gateway/router.h"

namespace orrery::gateway::handlers {

namespace {

using service::ItemAnswer;

http::Response answer_response(const Call& call, ItemAnswer answer) {
    const bool read = service::is_read(answer.kind);
    http::Response response = call.make_response(status_of(answer.kind));
    if (!answer.etag.empty()) response.add_header(header::kEtag, answer.etag);
    const std::string lsn = std::to_string(answer.item_lsn);
    response.add_header(header::kItemLsn, lsn);
    response.add_header(header::kItemLocalLsn, lsn);
    const bool bare = answer.kind == ItemAnswer::Kind::kNotModified ||
                      answer.kind == ItemAnswer::Kind::kRemoved || (!read && call.wants_minimal());
    if (!bare) {
        response.body = std::move(answer.record);
        response.body_offset = answer.json_offset;
    }
    return response;
}

}  // namespace

service::ItemAddress item_address(const Call& call, const service::FoundContainer& found) {
    service::ItemAddress address{.id = call.path.ids[2], .rid = std::nullopt};
    if (found.by_rid) address.rid = model::ItemRid::parse(call.path.ids[2]);
    return address;
}

http::Response item_response(const Call& call,
                             const service::FoundContainer& found,
                             Result<ItemAnswer> answer) {
    http::Response response =
        answer ? answer_response(call, std::move(answer).take()) : call.make_error(answer.error());
    // The service sends no owner with 404.
    if (response.status != 404) add_container_headers(response, found);
    return response;
}

service::ItemCallback answer_item_later(const Backend& backend,
                                        const CallPtr& call,
                                        service::FoundContainer found) {
    return [&backend, call, found = std::move(found)](Result<ItemAnswer> answer) {
        if (!answer && run_again(backend, call, answer.error())) return;
        // std::function requires copyable captures.
        auto held = std::make_shared<Result<ItemAnswer>>(std::move(answer));
        call->respond_with(
            [call, found, held] { return item_response(*call, found, std::move(*held)); });
    };
}

}  // namespace orrery::gateway::handlers
