#include "gateway/router.h"

#include <chrono>
#include <string>

#include "auth/action.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "service/charges.h"
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
    // What a credential must be allowed to do. A POST on a feed can be more than a create: see
    // action_of().
    auth::Action action;
};

namespace {

namespace table {

using enum ResourceType;
using enum Lane;
using enum auth::Action;
constexpr bool kFeed = true;
constexpr bool kOne = false;

// clang-format off
constexpr Route kRoutes[] = {
    {kAccount,         kOne,  "GET",    handlers::read_account,        kReactor, kReadAccount},
    {kDatabase,        kFeed, "GET",    handlers::list_databases,      kControl, kReadDatabase},
    {kDatabase,        kFeed, "POST",   handlers::post_database,       kControl, kWriteDatabase},
    {kDatabase,        kOne,  "GET",    handlers::read_database,       kReactor, kReadDatabase},
    {kDatabase,        kOne,  "DELETE", handlers::delete_database,     kControl, kWriteDatabase},
    {kContainer,       kFeed, "GET",    handlers::list_containers,     kControl, kReadContainer},
    {kContainer,       kFeed, "POST",   handlers::post_container,      kControl, kWriteContainer},
    {kContainer,       kOne,  "GET",    handlers::read_container,      kControl, kReadContainer},
    {kContainer,       kOne,  "PUT",    handlers::replace_container,   kControl, kWriteContainer},
    {kContainer,       kOne,  "DELETE", handlers::delete_container,    kControl, kWriteContainer},
    {kItem,            kFeed, "GET",    handlers::list_items,          kQueries, kReadFeed},
    {kItem,            kFeed, "POST",   handlers::post_item,           kReactor, kCreateItem},
    {kItem,            kOne,  "GET",    handlers::read_item,           kReactor, kReadItem},
    {kItem,            kOne,  "PUT",    handlers::replace_item,        kReactor, kReplaceItem},
    {kItem,            kOne,  "PATCH",  handlers::patch_item,          kReactor, kReplaceItem},
    {kItem,            kOne,  "DELETE", handlers::delete_item,         kReactor, kDeleteItem},
    {kOperation,       kOne,  "POST",   handlers::post_operation,      kReactor, kDeleteItem},
    {kStoredProcedure, kFeed, "GET",    handlers::list_scripts,        kControl, kReadScript},
    {kStoredProcedure, kFeed, "POST",   handlers::post_script,         kControl, kWriteScript},
    {kStoredProcedure, kOne,  "GET",    handlers::read_script,         kControl, kReadScript},
    {kStoredProcedure, kOne,  "PUT",    handlers::replace_script,      kControl, kWriteScript},
    {kStoredProcedure, kOne,  "DELETE", handlers::delete_script,       kControl, kWriteScript},
    {kStoredProcedure, kOne,  "POST",   handlers::execute_procedure,   kReactor, kExecuteProcedure},
    {kTrigger,         kFeed, "GET",    handlers::list_scripts,        kControl, kReadScript},
    {kTrigger,         kFeed, "POST",   handlers::post_script,         kControl, kWriteScript},
    {kTrigger,         kOne,  "GET",    handlers::read_script,         kControl, kReadScript},
    {kTrigger,         kOne,  "PUT",    handlers::replace_script,      kControl, kWriteScript},
    {kTrigger,         kOne,  "DELETE", handlers::delete_script,       kControl, kWriteScript},
    {kUdf,             kFeed, "GET",    handlers::list_scripts,        kControl, kReadScript},
    {kUdf,             kFeed, "POST",   handlers::post_script,         kControl, kWriteScript},
    {kUdf,             kOne,  "GET",    handlers::read_script,         kControl, kReadScript},
    {kUdf,             kOne,  "PUT",    handlers::replace_script,      kControl, kWriteScript},
    {kUdf,             kOne,  "DELETE", handlers::delete_script,       kControl, kWriteScript},
    {kRange,           kFeed, "GET",    handlers::list_ranges,         kReactor, kReadRanges},
    {kRange,           kOne,  "GET",    handlers::read_range,          kReactor, kReadRanges},
    {kOffer,           kFeed, "GET",    handlers::list_offers,         kControl, kReadOffer},
    {kOffer,           kFeed, "POST",   handlers::query_offers,        kControl, kReadOffer},
    {kOffer,           kOne,  "GET",    handlers::read_offer,          kReactor, kReadOffer},
    {kOffer,           kOne,  "PUT",    handlers::refuse_offer_change, kReactor, kWriteOffer},
};
// clang-format on

}  // namespace table

using auth::Action;
using table::kRoutes;

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

// The same for the text of a query.
constexpr std::size_t kReactorQueryBytesMax = std::size_t{4} << 10;

// Only a POST can be a query or a batch; point reads need not look for the headers.
bool queries(const Route& route, const Call& call) {
    return route.method == "POST" && (handlers::is_query(call) || call.flag(header::kIsQueryPlan));
}

Lane first_lane(const Route& route, Call& call) {
    const bool query = queries(route, call);
    if (query && route.type != ResourceType::kItem) return Lane::kQueries;
    if (route.lane != Lane::kReactor) return route.lane;
    const std::size_t bytes = call.exchange().body().size();
    if (query) return bytes <= kReactorQueryBytesMax ? Lane::kReactor : Lane::kQueries;
    const bool batch = route.method == "POST" && call.flag(header::kIsBatch);
    return bytes <= kReactorBodyBytesMax && !batch ? Lane::kReactor : Lane::kItems;
}

// Where a request goes on that must not do so on its connection's thread.
Lane second_lane(const Route& route, const Call& call) {
    if (queries(route, call)) return Lane::kQueries;
    return route.lane == Lane::kReactor ? Lane::kItems : route.lane;
}

void begin(const Backend& backend, const CallPtr& call) {
    if (call->context.is_late()) {
        return call->fail(Error(ErrorCode::kTimeout, "The request waited too long for its turn."));
    }
    call->context.receipt.charge = service::kReadCharge;
    call->route->handler(backend, call);
}

void run_in(Lane lane, const Backend& backend, const CallPtr& call) {
    call->context.receipt = {};
    call->context.allowance.may_block = lane != Lane::kReactor;
    call->context.allowance.pacer = nullptr;
    bool taken = true;
    switch (lane) {
        case Lane::kReactor:
            return begin(backend, call);
        case Lane::kControl:
            taken = backend.lanes.control.try_post([&backend, call] { begin(backend, call); });
            break;
        case Lane::kItems:
            taken = backend.lanes.items.try_post([&backend, call] { begin(backend, call); });
            break;
        case Lane::kQueries:
            taken = backend.lanes.queries.try_post([&backend, call](Pacer& pacer) {
                call->context.allowance.pacer = &pacer;
                begin(backend, call);
            });
            break;
    }
    if (!taken) {
        constexpr std::chrono::milliseconds kTurnOver{500};
        call->fail(Error(ErrorCode::kThrottled,
                         "The server has too many requests of this kind waiting; retry later.")
                       .with_retry_after(kTurnOver));
    }
}

const Route* find_route(const ResourcePath& path, std::string_view method, bool& known_type) {
    for (const Route& route : kRoutes) {
        if (route.type != path.type) continue;
        known_type = true;
        if (route.feed == path.feed && route.method == method) return &route;
    }
    return nullptr;
}

// HEAD is GET; the connection omits the body.
std::string_view method_of(const Call& call) {
    const std::string_view method = call.exchange().method();
    return method == "HEAD" ? "GET" : method;
}

}  // namespace

std::optional<auth::Action> action_of(const Call& call) {
    bool known_type = false;
    const Route* route = find_route(call.path, method_of(call), known_type);
    if (route == nullptr) return std::nullopt;
    const bool posted_to_feed = route->feed && route->method == "POST";
    if (!posted_to_feed) return route->action;
    const bool item = route->type == ResourceType::kItem;
    if (handlers::is_query(call) || call.flag(header::kIsQueryPlan)) {
        return item ? Action::kQueryItems : find_route(call.path, "GET", known_type)->action;
    }
    if (item && call.flag(header::kIsBatch)) return Action::kRunBatch;
    if (item && call.flag(header::kIsUpsert)) return Action::kUpsertItem;
    return route->action;
}

void dispatch(const Backend& backend, const CallPtr& call) {
    const std::string_view method = method_of(*call);
    bool known_type = false;
    call->route = find_route(call->path, method, known_type);
    if (call->route == nullptr) return call->fail(no_route(*call, known_type));
    if (asks_for_other_triggers(*call, method)) return call->fail(handlers::no_triggers_here());
    if (asks_for_other_plan(*call)) {
        return call->fail(service::bad_request("Only queries on items have a query plan."));
    }
    run_in(first_lane(*call->route, *call), backend, call);
}

bool run_again(const Backend& backend, const CallPtr& call, const Error& error) {
    if (backend.draining) return false;
    const bool moved = error.code() == ErrorCode::kGone || error.code() == ErrorCode::kFenced;
    const bool once = moved && !call->repeated;
    if (error.code() != ErrorCode::kWouldBlock && !once) return false;
    call->repeated = call->repeated || moved;
    run_in(second_lane(*call->route, *call), backend, call);
    return true;
}

}  // namespace orrery::gateway
