// One function per operation of the REST API: reads its input from the call, calls the service,
// writes the response. The router's table maps requests to these functions.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gateway/backend.h"
#include "gateway/call.h"

namespace orrery::gateway::handlers {

// Answers health and certificate requests, which need no key; nullopt for any other request.
std::optional<http::Response> answer_without_key(const http::Exchange& exchange,
                                                 const Backend& backend);

// The account's URL as this client reaches it, with a trailing slash.
std::string endpoint_of(const Call& call, const Backend& backend);
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
// A query posted to the feed. Blocks.
void query_items(const Backend& backend, const CallPtr& call, const service::FoundContainer& found);
// A batch posted to the feed. Takes too long for a connection's thread.
void post_batch(const Backend& backend, const CallPtr& call, const service::FoundContainer& found);
// Whether the request is a non-atomic batch.
bool is_bulk(const Call& call);
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

// A write that names triggers in its headers; `done` is called on a script thread.
bool names_triggers(const Call& call);
// Refuse the request rather than silently skip the trigger.
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

// The container that holds the resource in the path; 404/1003 if it is missing.
Result<service::FoundContainer> owner_of(const Backend& backend, const Call& call);

// Whether a POST on a feed is a query rather than a create.
bool is_query(const Call& call);

// The query in a POST; valid until the call is answered.
service::QueryText query_text_of(Call& call);

// Answers with a control-plane resource: 304 if the client's copy is current, else `status`.
void respond_with(Call& call, unsigned status, const Result<service::ResourceAnswer>& answer);

}  // namespace orrery::gateway::handlers
