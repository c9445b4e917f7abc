// One function per operation of the REST API: reads what it needs from the call, asks the service,
// writes the response. The router's table says which request reaches which.

#pragma once

#include <functional>
#include <optional>

#include "gateway/backend.h"
#include "gateway/call.h"

namespace orrery::gateway::handlers {

// Health and certificate: the requests that need no key. Nothing when it is none of them.
std::optional<http::Response> answer_without_key(const http::Exchange& exchange,
                                                 const Backend& backend);

void read_account(const Backend& backend, const CallPtr& call);

void list_databases(const Backend& backend, const CallPtr& call);
void post_database(const Backend& backend, const CallPtr& call);
void read_database(const Backend& backend, const CallPtr& call);
void delete_database(const Backend& backend, const CallPtr& call);

void list_containers(const Backend& backend, const CallPtr& call);
void post_container(const Backend& backend, const CallPtr& call);
void read_container(const Backend& backend, const CallPtr& call);
void replace_container(const Backend& backend, const CallPtr& call);
void delete_container(const Backend& backend, const CallPtr& call);

void list_items(const Backend& backend, const CallPtr& call);
void post_item(const Backend& backend, const CallPtr& call);
// A query sent to the feed; from any thread.
void query_items(const Backend& backend, const CallPtr& call, const service::FoundContainer& found);
// Many operations sent to the feed at once; from any thread.
void post_batch(const Backend& backend, const CallPtr& call, const service::FoundContainer& found);
void read_item(const Backend& backend, const CallPtr& call);
void replace_item(const Backend& backend, const CallPtr& call);
void patch_item(const Backend& backend, const CallPtr& call);
void delete_item(const Backend& backend, const CallPtr& call);

// POST .../operations/NAME on a container.
void post_operation(const Backend& backend, const CallPtr& call);

// Stored procedures, triggers and user-defined functions.
void list_scripts(const Backend& backend, const CallPtr& call);
void post_script(const Backend& backend, const CallPtr& call);
void read_script(const Backend& backend, const CallPtr& call);
void replace_script(const Backend& backend, const CallPtr& call);
void delete_script(const Backend& backend, const CallPtr& call);
void execute_procedure(const Backend& backend, const CallPtr& call);

// A write that names triggers in its headers; `done` is called on a thread for scripts.
bool names_triggers(const Call& call);
// A trigger that was asked for is better refused than left out.
Error no_triggers_here();
void write_with_triggers(const Backend& backend,
                         const CallPtr& call,
                         const service::FoundContainer& found,
                         service::TriggeredWrite write,
                         const std::function<void(service::TriggeredAnswer)>& done);

void list_ranges(const Backend& backend, const CallPtr& call);
void read_range(const Backend& backend, const CallPtr& call);

void list_offers(const Backend& backend, const CallPtr& call);
void query_offers(const Backend& backend, const CallPtr& call);
void read_offer(const Backend& backend, const CallPtr& call);
void refuse_offer_change(const Backend& backend, const CallPtr& call);

// The container that what the path names lives in; 404/1003 when it is missing.
Result<service::FoundContainer> owner_of(const Backend& backend, const Call& call);

// Whether a POST on a feed is a query rather than a create.
bool is_query(const Call& call);

// The query of a POST on any feed but that of items.
Result<service::ResourceQuery> query_of(Call& call);

// Answers with a resource of the control plane: 304 when the client has it, else `status`.
void respond_with(Call& call, unsigned status, const Result<service::ResourceAnswer>& answer);

}  // namespace orrery::gateway::handlers
