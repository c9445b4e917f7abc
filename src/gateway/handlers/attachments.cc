// Attachments of items, and the media that they hold.

#include "base/ascii.h"
#include "gateway/handlers/handlers.h"
#include "gateway/handlers/item_answer.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "service/errors.h"

namespace orrery::gateway::handlers {

namespace {

service::AttachmentAddress attachment_address(const Call& call,
                                              const service::FoundContainer& found) {
    service::AttachmentAddress address;
    address.owner = item_address(call, found);
    address.id = call.path.ids[3];
    address.as_media = call.path.type == ResourceType::kMedia;
    if (found.by_rid || address.as_media) {
        address.rid = model::AttachmentRid::parse(address.id);
        if (address.rid && address.as_media) address.owner.rid = address.rid->item;
    }
    return address;
}

std::string_view content_type_of(const Call& call) {
    return call.header(header::kContentType).value_or("");
}

// Whether the body is the media itself, rather than properties that link to it.
bool is_media(const Call& call) {
    if (call.path.type == ResourceType::kMedia || call.header(header::kSlug)) return true;
    const std::string_view type = content_type_of(call);
    const std::string_view bare = type.substr(0, type.find(';'));
    return !bare.empty() && !same_word(bare, "application/json");
}

// The body stays in the exchange: the request may have to run again.
Result<model::AttachmentBody> body_of(Call& call) {
    const std::string& body = call.exchange().body();
    if (!is_media(call)) return model::parse_attachment_body(body);
    const std::string_view type = content_type_of(call);
    // A link to media names the attachment already.
    const bool renames = call.path.type != ResourceType::kMedia;
    return model::media_attachment(renames ? call.header(header::kSlug).value_or("") : "",
                                   type.empty() ? "application/octet-stream" : type,
                                   body);
}

void respond_with_list(const Backend& backend,
                       const CallPtr& call,
                       const service::QueryText* query) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    const auto list = backend.attachments.list(
        call->context, *found->container, item_address(*call, *found), query);
    if (!list) {
        if (!run_again(backend, call, list.error())) call->fail(list.error());
        return;
    }
    http::Response response = call->make_feed(list->owner_rid, "Attachments", list->page);
    add_container_headers(response, *found);
    call->respond(std::move(response));
}

// The media, with its own content type.
http::Response media_response(const Call& call, service::MediaAnswer answer) {
    const bool current = answer.attachment.kind == service::ItemAnswer::Kind::kNotModified;
    http::Response response = call.make_response(current ? 304 : 200, answer.content_type);
    response.add_header(header::kEtag, answer.attachment.etag);
    response.body = std::move(answer.bytes);
    return response;
}

}  // namespace

void list_attachments(const Backend& backend, const CallPtr& call) {
    respond_with_list(backend, call, nullptr);
}

void post_attachment(const Backend& backend, const CallPtr& call) {
    if (call->is_query) {
        const service::QueryText query = query_text_of(*call);
        return respond_with_list(backend, call, &query);
    }
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    auto body = body_of(*call);
    if (!body) return call->fail(body.error());
    const auto write = call->flag(header::kIsUpsert) ? &service::Attachments::upsert
                                                     : &service::Attachments::create;
    (backend.attachments.*write)(call->context,
                                 *found->container,
                                 item_address(*call, *found),
                                 std::move(body).take(),
                                 answer_item_later(backend, call, *found));
}

void read_attachment(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    auto answer = backend.attachments.read(
        call->context, *found->container, attachment_address(*call, *found));
    if (!answer && run_again(backend, call, answer.error())) return;
    call->respond(item_response(*call, *found, std::move(answer)));
}

void replace_attachment(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    auto body = body_of(*call);
    if (!body) return call->fail(body.error());
    backend.attachments.replace(call->context,
                                *found->container,
                                attachment_address(*call, *found),
                                std::move(body).take(),
                                answer_item_later(backend, call, *found));
}

void delete_attachment(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    backend.attachments.remove(call->context,
                               *found->container,
                               attachment_address(*call, *found),
                               answer_item_later(backend, call, *found));
}

void read_media(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    auto answer = backend.attachments.read_media(
        call->context, *found->container, attachment_address(*call, *found));
    if (!answer) {
        if (!run_again(backend, call, answer.error())) call->fail(answer.error());
        return;
    }
    call->respond(media_response(*call, std::move(answer).take()));
}

}  // namespace orrery::gateway::handlers
