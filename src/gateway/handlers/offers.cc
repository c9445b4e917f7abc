#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "gateway/router.h"

namespace orrery::gateway::handlers {

namespace {

void respond_with_offers(Call& call, const Result<service::Page>& page) {
    if (!page) return call.fail(page.error());
    call.respond(call.make_feed("", "Offers", *page));
}

// Offers depend on what their containers store, and the partitions of those may change meanwhile.
void respond_with_offer(const Backend& backend,
                        const CallPtr& asked,
                        const Result<service::OfferAnswer>& answer) {
    Call& call = *asked;
    if (!answer) {
        if (!run_again(backend, asked, answer.error())) call.fail(answer.error());
        return;
    }
    http::Response response = call.make_response(answer->resource.body ? 200 : 304);
    response.add_header(header::kEtag, answer->resource.etag);
    response.add_header(header::kMinThroughput, std::to_string(answer->units_min));
    response.add_header(header::kOfferMaxAllowed, std::to_string(answer->units_max));
    response.add_header(header::kInstantScaleUp, std::to_string(answer->instant_units_max));
    response.add_header(header::kOfferReplacePending, answer->replace_pending ? "true" : "false");
    if (answer->resource.body) response.body = answer->resource.body->text();
    call.respond(std::move(response));
}

}  // namespace

void list_offers(const Backend& backend, const CallPtr& call) {
    respond_with_offers(*call, backend.offers.list(call->context, nullptr));
}

void query_offers(const Backend& backend, const CallPtr& call) {
    if (!is_query(*call)) {
        return call->fail(Error(ErrorCode::kMethodNotAllowed,
                                "Offers are created with their databases and containers."));
    }
    const service::QueryText query = query_text_of(*call);
    respond_with_offers(*call, backend.offers.list(call->context, &query));
}

void read_offer(const Backend& backend, const CallPtr& call) {
    respond_with_offer(backend, call, backend.offers.read(call->context, call->path.ids[0]));
}

void replace_offer(const Backend& backend, const CallPtr& call) {
    respond_with_offer(
        backend,
        call,
        backend.offers.replace(call->context, call->path.ids[0], call->exchange().body()));
}

}  // namespace orrery::gateway::handlers
