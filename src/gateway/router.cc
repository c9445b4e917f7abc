#include "gateway/router.h"

#include <string>

#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "service/errors.h"

namespace orrery::gateway {

using Handler = void (*)(const Backend&, const CallPtr&);

// Where a handler runs.
enum class Lane : std::uint8_t {
    kReactor,  // on the connection's thread: answers at once or hands off, and never blocks
    kControl,
    kItems,
    kQueries,
};

struct Route {
    ResourceType type;
    bool feed;
    std::string_view method;
    Handler handler;
    Lane lane;
};

namespace {

constexpr Route kRoutes[] = {
    {ResourceType::kAccount, false, "GET", handlers::read_account, Lane::kReactor},
    {ResourceType::kDatabase, true, "GET", handlers::list_databases, Lane::kControl},
    {ResourceType::kDatabase, true, "POST", handlers::post_database, Lane::kControl},
    {ResourceType::kDatabase, false, "GET", handlers::read_database, Lane::kReactor},
    {ResourceType::kDatabase, false, "DELETE", handlers::delete_database, Lane::kControl},
    {ResourceType::kContainer, true, "GET", handlers::list_containers, Lane::kControl},
    {ResourceType::kContainer, true, "POST", handlers::post_container, Lane::kControl},
    {ResourceType::kContainer, false, "GET", handlers::read_container, Lane::kControl},
    {ResourceType::kContainer, false, "PUT", handlers::replace_container, Lane::kControl},
    {ResourceType::kContainer, false, "DELETE", handlers::delete_container, Lane::kControl},
    {ResourceType::kItem, true, "GET", handlers::list_items, Lane::kQueries},
    {ResourceType::kItem, true, "POST", handlers::post_item, Lane::kReactor},
    {ResourceType::kItem, false, "GET", handlers::read_item, Lane::kReactor},
    {ResourceType::kItem, false, "PUT", handlers::replace_item, Lane::kReactor},
    {ResourceType::kItem, false, "PATCH", handlers::patch_item, Lane::kReactor},
    {ResourceType::kItem, false, "DELETE", handlers::delete_item, Lane::kReactor},
    {ResourceType::kOperation, false, "POST", handlers::post_operation, Lane::kReactor},
    {ResourceType::kStoredProcedure, true, "GET", handlers::list_scripts, Lane::kControl},
    {ResourceType::kStoredProcedure, true, "POST", handlers::post_script, Lane::kControl},
    {ResourceType::kStoredProcedure, false, "GET", handlers::read_script, Lane::kControl},
    {ResourceType::kStoredProcedure, false, "PUT", handlers::replace_script, Lane::kControl},
    {ResourceType::kStoredProcedure, false, "DELETE", handlers::delete_script, Lane::kControl},
    {ResourceType::kStoredProcedure, false, "POST", handlers::execute_procedure, Lane::kReactor},
    {ResourceType::kTrigger, true, "GET", handlers::list_scripts, Lane::kControl},
    {ResourceType::kTrigger, true, "POST", handlers::post_script, Lane::kControl},
    {ResourceType::kTrigger, false, "GET", handlers::read_script, Lane::kControl},
    {ResourceType::kTrigger, false, "PUT", handlers::replace_script, Lane::kControl},
    {ResourceType::kTrigger, false, "DELETE", handlers::delete_script, Lane::kControl},
    {ResourceType::kUdf, true, "GET", handlers::list_scripts, Lane::kControl},
    {ResourceType::kUdf, true, "POST", handlers::post_script, Lane::kControl},
    {ResourceType::kUdf, false, "GET", handlers::read_script, Lane::kControl},
    {ResourceType::kUdf, false, "PUT", handlers::replace_script, Lane::kControl},
    {ResourceType::kUdf, false, "DELETE", handlers::delete_script, Lane::kControl},
    {ResourceType::kRange, true, "GET", handlers::list_ranges, Lane::kReactor},
    {ResourceType::kRange, false, "GET", handlers::read_range, Lane::kReactor},
    {ResourceType::kOffer, true, "GET", handlers::list_offers, Lane::kControl},
    {ResourceType::kOffer, true, "POST", handlers::query_offers, Lane::kControl},
    {ResourceType::kOffer, false, "GET", handlers::read_offer, Lane::kReactor},
    {ResourceType::kOffer, false, "PUT", handlers::refuse_offer_change, Lane::kReactor},
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

// Larger bodies take too long to parse for a connection's thread.
constexpr std::size_t kReactorBodyBytesMax = std::size_t{32} << 10;

Lane lane_of(const Route& route, Call& call) {
    // Only a POST can be a query or a batch; point reads need not look for the headers.
    const bool posted = route.method == "POST";
    const bool queries = posted && (handlers::is_query(call) || call.flag(header::kIsQueryPlan));
    if (queries) return Lane::kQueries;
    if (route.lane != Lane::kReactor) return route.lane;
    const bool small = call.exchange().body().size() <= kReactorBodyBytesMax;
    return small && !(posted && call.flag(header::kIsBatch)) ? Lane::kReactor : Lane::kItems;
}

void run_in(Lane lane, const Backend& backend, const CallPtr& call) {
    const Handler handler = call->route->handler;
    call->request.may_block = lane != Lane::kReactor;
    bool taken = true;
    switch (lane) {
        case Lane::kReactor:
            return handler(backend, call);
        case Lane::kControl:
            taken = backend.lanes.control.try_post(
                [&backend, call, handler] { handler(backend, call); });
            break;
        case Lane::kItems:
            taken =
                backend.lanes.items.try_post([&backend, call, handler] { handler(backend, call); });
            break;
        case Lane::kQueries:
            taken = backend.lanes.queries.try_post([&backend, call, handler](Pacer& pacer) {
                call->request.pacer = &pacer;
                handler(backend, call);
            });
            break;
    }
    if (!taken) {
        call->fail(Error(ErrorCode::kThrottled,
                         "The server has too many requests of this kind waiting; retry later."));
    }
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
        call->route = &route;
        return run_in(lane_of(route, *call), backend, call);
    }
    call->fail(no_route(*call, known_type));
}

bool run_again(const Backend& backend, const CallPtr& call, const Error& error) {
    if (backend.draining) return false;
    const bool moved = error.code() == ErrorCode::kGone || error.code() == ErrorCode::kFenced;
    const bool once = moved && !call->repeated;
    if (error.code() != ErrorCode::kWouldBlock && !once) return false;
    call->repeated = call->repeated || moved;
    const Lane lane = lane_of(*call->route, *call);
    run_in(lane == Lane::kReactor ? Lane::kItems : lane, backend, call);
    return true;
}

}  // namespace orrery::gateway
