#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "gateway/handlers/handlers.h"
#include "gateway/handlers/item_answer.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "json/binary.h"
#include "model/limits.h"
#include "service/errors.h"

namespace orrery::gateway::handlers {

namespace {

using service::ItemAnswer;

// The URL of the request, on the host that the client can reach.
std::string location_of(const Call& call, const Backend& backend) {
    std::string_view path = call.exchange().target();
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    std::string location = endpoint_of(call, backend);
    append_header_text(location, path);
    return location;
}

// A post-trigger may replace the response body.
http::Response triggered_response(const Call& call,
                                  const service::FoundContainer& found,
                                  service::TriggeredAnswer answer) {
    const bool done = static_cast<bool>(answer.item);
    http::Response response = item_response(call, found, std::move(answer.item));
    if (done && answer.body) {
        response.body = *std::move(answer.body);
        response.body_offset = 0;
    }
    return response;
}

void write_triggered(const Backend& backend,
                     const CallPtr& call,
                     const service::FoundContainer& found,
                     service::TriggeredWrite::Kind kind) {
    service::TriggeredWrite write;
    write.kind = kind;
    const bool addressed = kind == service::TriggeredWrite::Kind::kReplace ||
                           kind == service::TriggeredWrite::Kind::kRemove;
    if (addressed) write.address = item_address(*call, found);
    write_with_triggers(backend,
                        call,
                        found,
                        std::move(write),
                        [&backend, call, found](service::TriggeredAnswer answer) {
                            if (!answer.item && run_again(backend, call, answer.item.error()))
                                return;
                            auto held =
                                std::make_shared<service::TriggeredAnswer>(std::move(answer));
                            call->respond_with([call, found, held] {
                                return triggered_response(*call, found, std::move(*held));
                            });
                        });
}

// The Rust SDK sends items as binary JSON, which only the first byte tells.
Status read_binary_item(Call& call) {
    std::string& body = call.exchange().body();
    if (json::is_binary(body)) {
        body = TRY(json::text_of_binary(body, model::limits::kItemBytesMax));
    }
    return {};
}

}  // namespace

void list_items(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    if (call->is_change_feed) return list_changes(backend, call, *found);
    auto page = backend.item_feed.read(call->context, *found->container);
    if (!page) {
        if (!run_again(backend, call, page.error())) call->fail(page.error());
        return;
    }
    http::Response response =
        call->make_feed(found->container->rid.text(), "Documents", std::move(*page));
    add_container_headers(response, *found);
    call->respond(std::move(response));
}

// A POST on the feed can be many operations; headers decide (protocol: dispatch order).
void post_item(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) {
        // The sub-status makes clients refresh their caches; the service sends none to bulk
        // clients.
        const bool bare = is_bulk(*call) && found.error().code() == ErrorCode::kNotFound;
        if (bare) return call->fail(service::not_found());
        return call->fail(found.error());
    }
    if (call->is_change_feed) return list_changes(backend, call, *found);
    if (call->is_query) {
        return query_items(backend, call, *found);
    }
    using Kind = service::TriggeredWrite::Kind;
    const bool upserts = call->flag(header::kIsUpsert);
    const bool triggers = names_triggers(*call);
    if (call->flag(header::kIsBatch)) {
        return triggers ? call->fail(no_triggers_here()) : post_batch(backend, call, *found);
    }
    if (const Status read = read_binary_item(*call); !read) return call->fail(read.error());
    if (triggers) {
        return write_triggered(backend, call, *found, upserts ? Kind::kUpsert : Kind::kCreate);
    }
    const service::ItemCallback done = answer_item_later(backend, call, *found);
    const std::string& body = call->exchange().body();
    if (upserts) {
        backend.items.upsert(call->context, found->container, body, done);
    } else {
        backend.items.create(call->context, found->container, body, done);
    }
}

void read_item(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    Result<ItemAnswer> answer =
        backend.items.read(call->context, found->container, item_address(*call, *found));
    if (!answer && run_again(backend, call, answer.error())) return;
    const bool read = static_cast<bool>(answer);
    http::Response response = item_response(*call, *found, std::move(answer));
    if (read) response.add_header(header::kContentLocation, location_of(*call, backend));
    call->respond(std::move(response));
}

void replace_item(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    if (const Status read = read_binary_item(*call); !read) return call->fail(read.error());
    if (names_triggers(*call)) {
        return write_triggered(backend, call, *found, service::TriggeredWrite::Kind::kReplace);
    }
    backend.items.replace(call->context,
                          found->container,
                          item_address(*call, *found),
                          call->exchange().body(),
                          answer_item_later(backend, call, *found));
}

void patch_item(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    if (names_triggers(*call)) return call->fail(no_triggers_here());
    backend.items.patch(call->context,
                        found->container,
                        item_address(*call, *found),
                        call->exchange().body(),
                        answer_item_later(backend, call, *found));
}

void post_operation(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    if (!same_word(call->path.ids[2], "partitionkeydelete")) {
        return call->fail(Error(ErrorCode::kNotImplemented,
                                "This container operation is not supported by this server."));
    }
    backend.items.remove_key(
        call->context,
        found->container,
        [&backend, call, found = *found](Result<ItemAnswer> answer) {
            if (!answer && run_again(backend, call, answer.error())) return;
            auto held = std::make_shared<Result<ItemAnswer>>(std::move(answer));
            call->respond_with([call, found, held] {
                const bool deleted = static_cast<bool>(*held);
                http::Response response = item_response(*call, found, std::move(*held));
                if (deleted) {
                    response.status = 200;
                    response.add_header(header::kPartitionKeyDeletePending, "true");
                }
                return response;
            });
        });
}

void delete_item(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    if (names_triggers(*call)) {
        return write_triggered(backend, call, *found, service::TriggeredWrite::Kind::kRemove);
    }
    backend.items.remove(call->context,
                         found->container,
                         item_address(*call, *found),
                         answer_item_later(backend, call, *found));
}

}  // namespace orrery::gateway::handlers
