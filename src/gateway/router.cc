#include "gateway/router.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>

#include "auth/action.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "service/errors.h"
#include "throughput/charges.h"

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
    // posted_action().
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
    {kAttachment,      kFeed, "GET",    handlers::list_attachments,    kQueries, kReadAttachment},
    {kAttachment,      kFeed, "POST",   handlers::post_attachment,     kItems,   kWriteAttachment},
    {kAttachment,      kOne,  "GET",    handlers::read_attachment,     kItems,   kReadAttachment},
    {kAttachment,      kOne,  "PUT",    handlers::replace_attachment,  kItems,   kWriteAttachment},
    {kAttachment,      kOne,  "DELETE", handlers::delete_attachment,   kItems,   kWriteAttachment},
    {kMedia,           kOne,  "GET",    handlers::read_media,          kItems,   kReadAttachment},
    {kMedia,           kOne,  "PUT",    handlers::replace_attachment,  kItems,   kWriteAttachment},
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
    {kUser,            kFeed, "GET",    handlers::list_users,          kControl, kReadUser},
    {kUser,            kFeed, "POST",   handlers::post_user,           kControl, kWriteUser},
    {kUser,            kOne,  "GET",    handlers::read_user,           kControl, kReadUser},
    {kUser,            kOne,  "PUT",    handlers::replace_user,        kControl, kWriteUser},
    {kUser,            kOne,  "DELETE", handlers::delete_user,         kControl, kWriteUser},
    {kPermission,      kFeed, "GET",    handlers::list_permissions,    kControl, kReadPermission},
    {kPermission,      kFeed, "POST",   handlers::post_permission,     kControl, kWritePermission},
    {kPermission,      kOne,  "GET",    handlers::read_permission,     kControl, kReadPermission},
    {kPermission,      kOne,  "PUT",    handlers::replace_permission,  kControl, kWritePermission},
    {kPermission,      kOne,  "DELETE", handlers::delete_permission,   kControl, kWritePermission},
    {kRange,           kFeed, "GET",    handlers::list_ranges,         kReactor, kReadRanges},
    {kRange,           kOne,  "GET",    handlers::read_range,          kReactor, kReadRanges},
    {kSplit,           kFeed, "POST",   handlers::split_range,         kControl, kWriteContainer},
    {kMerge,           kFeed, "POST",   handlers::merge_range,         kControl, kWriteContainer},
    {kClientEncryptionKey, kFeed, "GET",  handlers::list_client_keys,  kControl, kReadClientKey},
    {kClientEncryptionKey, kFeed, "POST", handlers::post_client_key,   kControl, kWriteClientKey},
    {kClientEncryptionKey, kOne,  "GET",  handlers::read_client_key,   kControl, kReadClientKey},
    {kClientEncryptionKey, kOne,  "PUT",  handlers::replace_client_key, kControl, kWriteClientKey},
    {kConflict,        kFeed, "GET",    handlers::list_conflicts,      kControl, kReadConflict},
    {kConflict,        kFeed, "POST",   handlers::query_conflicts,     kControl, kReadConflict},
    {kConflict,        kOne,  "GET",    handlers::find_conflict,       kControl, kReadConflict},
    {kConflict,        kOne,  "DELETE", handlers::find_conflict,       kControl, kDeleteConflict},
    {kKeys,            kFeed, "POST",   handlers::list_keys,           kControl, kReadKeys},
    {kReadOnlyKeys,    kFeed, "POST",   handlers::list_keys,           kControl, kReadKeys},
    {kKeyRegeneration, kFeed, "POST",   handlers::regenerate_key,      kControl, kWriteKeys},
    {kBackup,          kFeed, "GET",    handlers::list_backups,        kControl, kReadBackup},
    {kBackup,          kFeed, "POST",   handlers::begin_backup,        kControl, kWriteBackup},
    {kCluster,         kFeed, "GET",    handlers::read_cluster,        kControl, kReadCluster},
    {kDrain,           kFeed, "POST",   handlers::drain_node,          kControl, kWriteCluster},
    {kDrain,           kFeed, "DELETE", handlers::drain_node,          kControl, kWriteCluster},
    {kRoleDefinition,  kFeed, "GET",    handlers::list_roles,          kControl, kReadRole},
    {kRoleDefinition,  kOne,  "GET",    handlers::read_role,           kControl, kReadRole},
    {kRoleDefinition,  kOne,  "PUT",    handlers::put_role,            kControl, kWriteRole},
    {kRoleDefinition,  kOne,  "DELETE", handlers::delete_role,         kControl, kWriteRole},
    {kRoleAssignment,  kFeed, "GET",    handlers::list_roles,          kControl, kReadRole},
    {kRoleAssignment,  kOne,  "GET",    handlers::read_role,           kControl, kReadRole},
    {kRoleAssignment,  kOne,  "PUT",    handlers::put_role,            kControl, kWriteRole},
    {kRoleAssignment,  kOne,  "DELETE", handlers::delete_role,         kControl, kWriteRole},
    {kOffer,           kFeed, "GET",    handlers::list_offers,         kControl, kReadOffer},
    {kOffer,           kFeed, "POST",   handlers::query_offers,        kControl, kReadOffer},
    {kOffer,           kOne,  "GET",    handlers::read_offer,          kControl, kReadOffer},
    {kOffer,           kOne,  "PUT",    handlers::replace_offer,       kControl, kWriteOffer},
};
// clang-format on

}  // namespace table

using auth::Action;
using table::kRoutes;

Error no_route(const Call& call) {
    const std::string type(name_of(call.path.type));
    const bool known_type =
        std::any_of(std::begin(kRoutes), std::end(kRoutes), [&](const Route& route) {
            return route.type == call.path.type;
        });
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

Lane first_lane(const Route& route, Call& call) {
    const bool query = call.is_query;
    if (query && route.type != ResourceType::kItem) return Lane::kQueries;
    // Most polls of a change feed find nothing new, and find that out at once.
    if (call.is_change_feed && !query) return Lane::kReactor;
    if (route.lane != Lane::kReactor) return route.lane;
    const std::size_t bytes = call.exchange().body().size();
    if (query) return bytes <= kReactorQueryBytesMax ? Lane::kReactor : Lane::kQueries;
    const bool batch = route.method == "POST" && call.flag(header::kIsBatch);
    return bytes <= kReactorBodyBytesMax && !batch ? Lane::kReactor : Lane::kItems;
}

// Where a request goes on that must not do so on its connection's thread.
Lane second_lane(const Route& route, const Call& call) {
    if (call.is_query) return Lane::kQueries;
    return route.lane == Lane::kReactor ? Lane::kItems : route.lane;
}

void begin(const Backend& backend, const CallPtr& call) {
    if (call->context.is_late()) {
        return call->fail(Error(ErrorCode::kTimeout, "The request waited too long for its turn."));
    }
    call->context.receipt.charge = throughput::kRefusedCharge;
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

const Route* route_for(const ResourcePath& path, std::string_view method) {
    for (const Route& route : kRoutes) {
        if (route.type == path.type && route.feed == path.feed && route.method == method) {
            return &route;
        }
    }
    return nullptr;
}

// HEAD is GET; the connection omits the body.
std::string_view method_of(const Call& call) {
    const std::string_view method = call.exchange().method();
    return method == "HEAD" ? "GET" : method;
}

// What a POST on a feed does.
Action posted_action(const Call& call) {
    const bool item = call.route->type == ResourceType::kItem;
    if (call.is_query) {
        if (item) return Action::kQueryItems;
        const Route* listing = route_for(call.path, "GET");
        return listing != nullptr ? listing->action : call.route->action;
    }
    if (item && call.flag(header::kIsBatch)) return Action::kRunBatch;
    if (item && call.flag(header::kIsUpsert)) return Action::kUpsertItem;
    return call.route->action;
}

}  // namespace

void find_route(Call& call) {
    call.route = route_for(call.path, method_of(call));
    if (call.route == nullptr) return;
    call.action = call.route->action;
    // Only a POST can be a query or a batch; point reads need not look for the headers.
    const bool items = call.route->type == ResourceType::kItem && call.route->feed;
    if (call.route->method == "POST") {
        const bool plan = call.flag(header::kIsQueryPlan);
        call.is_query = handlers::is_query(call) || plan;
        call.is_change_feed = items && call.is_query && !plan && call.header(header::kAim);
        if (call.route->feed) call.action = posted_action(call);
    } else {
        call.is_change_feed = items && (call.header(header::kAim) || handlers::wants_events(call));
    }
}

void dispatch(const Backend& backend, const CallPtr& call) {
    const std::string_view method = method_of(*call);
    if (call->route == nullptr) return call->fail(no_route(*call));
    if (asks_for_other_triggers(*call, method)) return call->fail(handlers::no_triggers_here());
    if (asks_for_other_plan(*call)) {
        return call->fail(service::bad_request("Only queries on items have a query plan."));
    }
    run_in(first_lane(*call->route, *call), backend, call);
}

bool run_again(const Backend& backend, const CallPtr& call, const Error& error) {
    if (error.code() == ErrorCode::kElsewhere && call->forwarder != nullptr) {
        call->fail(error);
        return true;
    }
    if (backend.draining) return false;
    const bool moved = error.code() == ErrorCode::kGone || error.code() == ErrorCode::kFenced;
    // More than once, because a range may be divided while the request waits for it, and so on. If
    // the request names the range itself, it is probably gone for good.
    const int moves_max = call->context.request.range_id ? 2 : 20;
    if (moved && call->moves++ == moves_max) return false;
    if (error.code() != ErrorCode::kWouldBlock && !moved) return false;
    run_in(second_lane(*call->route, *call), backend, call);
    return true;
}

}  // namespace orrery::gateway
