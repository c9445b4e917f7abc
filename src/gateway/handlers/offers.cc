#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"

namespace orrery::gateway::handlers {

namespace {

void respond_with_offers(Call& call, const Result<service::Page>& page) {
    if (!page) return call.fail(page.error());
    call.respond(call.make_feed("", "Offers", *page));
}

}  // namespace

void list_offers(const Backend& backend, const CallPtr& call) {
    respond_with_offers(*call, backend.resources.list_offers(call->context, nullptr));
}

void query_offers(const Backend& backend, const CallPtr& call) {
    if (!is_query(*call)) {
        return call->fail(Error(ErrorCode::kMethodNotAllowed,
                                "Offers are created with their databases and containers."));
    }
    const service::QueryText query = query_text_of(*call);
    respond_with_offers(*call, backend.resources.list_offers(call->context, &query));
}

void read_offer(const Backend& backend, const CallPtr& call) {
    const auto answer = backend.resources.read_offer(call->context, call->path.ids[0]);
    if (!answer || !answer->body) return respond_with(*call, 200, answer);
    http::Response response = call->make_response(200);
    response.add_header(header::kEtag, answer->etag);
    response.add_header(header::kMinThroughput, "400");
    response.add_header(header::kOfferReplacePending, "false");
    response.body = answer->body->text();
    call->respond(std::move(response));
}

void refuse_offer_change(const Backend& /*backend*/, const CallPtr& call) {
    call->fail(Error(ErrorCode::kNotImplemented,
                     "Changing the throughput of a database or container is not supported by this "
                     "server."));
}

}  // namespace orrery::gateway::handlers
