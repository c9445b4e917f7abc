#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"

namespace orrery::gateway::handlers {

namespace {

void respond_with_databases(Call& call, const Result<service::Page>& page) {
    if (!page) return call.fail(page.error());
    call.respond(call.make_feed("", "Databases", *page));
}

}  // namespace

bool is_query(const Call& call) {
    const auto type = call.header(header::kContentType);
    return call.flag(header::kIsQuery) || (type && (type->starts_with("application/query+json") ||
                                                    type->starts_with("application/sql")));
}

service::QueryText query_text_of(Call& call) {
    const auto type = call.header(header::kContentType);
    return {.body = call.exchange().body(),
            .plain_text = type && type->starts_with("application/sql")};
}

void respond_with(Call& call, unsigned status, const Result<service::ResourceAnswer>& answer) {
    if (!answer) return call.fail(answer.error());
    http::Response response = call.make_response(answer->body ? status : 304);
    response.add_header(header::kEtag, answer->etag);
    if (answer->body) response.body = answer->body->text();
    call.respond(std::move(response));
}

void list_databases(const Backend& backend, const CallPtr& call) {
    respond_with_databases(*call, backend.resources.list_databases(call->context, nullptr));
}

void post_database(const Backend& backend, const CallPtr& call) {
    if (!is_query(*call)) {
        return respond_with(
            *call, 201, backend.resources.create_database(call->context, call->exchange().body()));
    }
    const service::QueryText query = query_text_of(*call);
    respond_with_databases(*call, backend.resources.list_databases(call->context, &query));
}

void read_database(const Backend& backend, const CallPtr& call) {
    respond_with(*call, 200, backend.resources.read_database(call->context, call->path.ids[0]));
}

void delete_database(const Backend& backend, const CallPtr& call) {
    const Status removed = backend.resources.remove_database(call->context, call->path.ids[0]);
    if (!removed) return call->fail(removed.error());
    call->respond(call->make_response(204));
}

}  // namespace orrery::gateway::handlers
