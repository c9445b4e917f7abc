#include "gateway/router.h"

#include <string>

#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "service/errors.h"

namespace orrery::gateway {

namespace {

using Handler = void (*)(const Backend&, const CallPtr&);

enum class Where : std::uint8_t {
    kReactor,  // answers at once or hands off; never blocks
    kWorker,   // may wait for the disk
};

struct Route {
    ResourceType type;
    bool feed;
    std::string_view method;
    Handler handler;
    Where where;
};

constexpr Route kRoutes[] = {
    {ResourceType::kAccount, false, "GET", handlers::read_account, Where::kReactor},
    {ResourceType::kDatabase, true, "GET", handlers::list_databases, Where::kWorker},
    {ResourceType::kDatabase, true, "POST", handlers::post_database, Where::kWorker},
    {ResourceType::kDatabase, false, "GET", handlers::read_database, Where::kReactor},
    {ResourceType::kDatabase, false, "DELETE", handlers::delete_database, Where::kWorker},
    {ResourceType::kContainer, true, "GET", handlers::list_containers, Where::kWorker},
    {ResourceType::kContainer, true, "POST", handlers::post_container, Where::kWorker},
    {ResourceType::kContainer, false, "GET", handlers::read_container, Where::kWorker},
    {ResourceType::kContainer, false, "PUT", handlers::replace_container, Where::kWorker},
    {ResourceType::kContainer, false, "DELETE", handlers::delete_container, Where::kWorker},
    {ResourceType::kItem, true, "GET", handlers::list_items, Where::kWorker},
    {ResourceType::kItem, true, "POST", handlers::post_item, Where::kReactor},
    {ResourceType::kItem, false, "GET", handlers::read_item, Where::kReactor},
    {ResourceType::kItem, false, "PUT", handlers::replace_item, Where::kReactor},
    {ResourceType::kItem, false, "PATCH", handlers::patch_item, Where::kReactor},
    {ResourceType::kItem, false, "DELETE", handlers::delete_item, Where::kReactor},
    {ResourceType::kOperation, false, "POST", handlers::post_operation, Where::kReactor},
    {ResourceType::kStoredProcedure, true, "GET", handlers::list_scripts, Where::kWorker},
    {ResourceType::kStoredProcedure, true, "POST", handlers::post_script, Where::kWorker},
    {ResourceType::kStoredProcedure, false, "GET", handlers::read_script, Where::kWorker},
    {ResourceType::kStoredProcedure, false, "PUT", handlers::replace_script, Where::kWorker},
    {ResourceType::kStoredProcedure, false, "DELETE", handlers::delete_script, Where::kWorker},
    {ResourceType::kStoredProcedure, false, "POST", handlers::execute_procedure, Where::kReactor},
    {ResourceType::kTrigger, true, "GET", handlers::list_scripts, Where::kWorker},
    {ResourceType::kTrigger, true, "POST", handlers::post_script, Where::kWorker},
    {ResourceType::kTrigger, false, "GET", handlers::read_script, Where::kWorker},
    {ResourceType::kTrigger, false, "PUT", handlers::replace_script, Where::kWorker},
    {ResourceType::kTrigger, false, "DELETE", handlers::delete_script, Where::kWorker},
    {ResourceType::kUdf, true, "GET", handlers::list_scripts, Where::kWorker},
    {ResourceType::kUdf, true, "POST", handlers::post_script, Where::kWorker},
    {ResourceType::kUdf, false, "GET", handlers::read_script, Where::kWorker},
    {ResourceType::kUdf, false, "PUT", handlers::replace_script, Where::kWorker},
    {ResourceType::kUdf, false, "DELETE", handlers::delete_script, Where::kWorker},
    {ResourceType::kRange, true, "GET", handlers::list_ranges, Where::kReactor},
    {ResourceType::kRange, false, "GET", handlers::read_range, Where::kReactor},
    {ResourceType::kOffer, true, "GET", handlers::list_offers, Where::kWorker},
    {ResourceType::kOffer, true, "POST", handlers::query_offers, Where::kWorker},
    {ResourceType::kOffer, false, "GET", handlers::read_offer, Where::kReactor},
    {ResourceType::kOffer, false, "PUT", handlers::refuse_offer_change, Where::kReactor},
};

Error no_route(const Call& call, bool known_type) {
    const std::string type(name_of(call.path.type));
    if (!known_type) {
        return Error(ErrorCode::kNotImplemented,
                     "Requests on " + type + " are not supported by this server.");
    }
    return Error(ErrorCode::kMethodNotAllowed,
                 "The requested verb is not supported on " + type + ".");
}

// Only item writes run triggers. Reads may name them and ignore them.
bool asks_for_other_triggers(const Call& call, std::string_view method) {
    return call.path.type != ResourceType::kItem && method != "GET" &&
           handlers::names_triggers(call) && !handlers::is_query(call);
}

bool asks_for_other_plan(const Call& call) {
    return call.path.type != ResourceType::kItem && call.flag(header::kIsQueryPlan);
}

}  // namespace

void dispatch(const Backend& backend, const CallPtr& call) {
    // HEAD is GET; the connection omits the body.
    const std::string_view method =
        call->exchange().method() == "HEAD" ? "GET" : call->exchange().method();
    bool known_type = false;
    for (const Route& route : kRoutes) {
        if (route.type != call->path.type) continue;
        known_type = true;
        if (route.feed != call->path.feed || route.method != method) continue;
        if (asks_for_other_triggers(*call, method)) {
            return call->fail(handlers::no_triggers_here());
        }
        if (asks_for_other_plan(*call)) {
            return call->fail(service::bad_request("Only queries on items have a query plan."));
        }
        if (route.where == Where::kReactor) {
            route.handler(backend, call);
        } else {
            backend.workers.post(
                [&backend, call, handler = route.handler] { handler(backend, call); });
        }
        return;
    }
    call->fail(no_route(*call, known_type));
}

}  // namespace orrery::gateway
