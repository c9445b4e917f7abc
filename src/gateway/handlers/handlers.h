// One function per operation of the REST API: reads its input from the call, calls the service,
// writes the response. The router's table maps requests to these functions.

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "gateway/backend.h"
#include "gateway/call.h"

namespace orrery::gateway::handlers {

// Answers requests for health, the certificate and metrics, which need no account key; false for
// any other request.
bool answer_without_key(const std::shared_ptr<http::Exchange>& exchange, const Backend& backend);

// GET /metrics: for clients on this machine, and for others that present the token. The rest of the
// request is answered in its own lane, because the numbers of the storage may have to wait.
void answer_metrics(const std::shared_ptr<http::Exchange>& exchange, const Backend& backend);

// An answer without the headers of the API.
http::Response plain_answer(unsigned status, std::string_view type, std::string body);

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
// A request with A-IM: the change feed, with a filter if it is a query.
void list_changes(const Backend& backend,
                  const CallPtr& call,
                  const service::FoundContainer& found);
// The same as a stream of events, if the client accepts that.
bool wants_events(const Call& call);
void stream_changes(const Backend& backend,
                    const CallPtr& call,
                    const service::FoundContainer& found,
                    service::ChangeFeedOptions options);
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

// Attachments of an item. Those with media serve it under /media/.
void list_attachments(const Backend& backend, const CallPtr& call);
void post_attachment(const Backend& backend, const CallPtr& call);
void read_attachment(const Backend& backend, const CallPtr& call);
void replace_attachment(const Backend& backend, const CallPtr& call);
void delete_attachment(const Backend& backend, const CallPtr& call);
void read_media(const Backend& backend, const CallPtr& call);

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

// The account's keys and data-plane roles, which Azure's resource provider manages in the service.
void list_keys(const Backend& backend, const CallPtr& call);
void regenerate_key(const Backend& backend, const CallPtr& call);

// The nodes of a cluster and what they serve, and moving everything off a node.
void read_cluster(const Backend& backend, const CallPtr& call);
void drain_node(const Backend& backend, const CallPtr& call);

void list_backups(const Backend& backend, const CallPtr& call);
void begin_backup(const Backend& backend, const CallPtr& call);
void list_roles(const Backend& backend, const CallPtr& call);
void read_role(const Backend& backend, const CallPtr& call);
void put_role(const Backend& backend, const CallPtr& call);
void delete_role(const Backend& backend, const CallPtr& call);

void list_users(const Backend& backend, const CallPtr& call);
void post_user(const Backend& backend, const CallPtr& call);
void read_user(const Backend& backend, const CallPtr& call);
void replace_user(const Backend& backend, const CallPtr& call);
void delete_user(const Backend& backend, const CallPtr& call);
void list_permissions(const Backend& backend, const CallPtr& call);
void post_permission(const Backend& backend, const CallPtr& call);
void read_permission(const Backend& backend, const CallPtr& call);
void replace_permission(const Backend& backend, const CallPtr& call);
void delete_permission(const Backend& backend, const CallPtr& call);

void list_ranges(const Backend& backend, const CallPtr& call);
void split_range(const Backend& backend, const CallPtr& call);
void merge_range(const Backend& backend, const CallPtr& call);
void read_range(const Backend& backend, const CallPtr& call);

void list_client_keys(const Backend& backend, const CallPtr& call);
void post_client_key(const Backend& backend, const CallPtr& call);
void read_client_key(const Backend& backend, const CallPtr& call);
void replace_client_key(const Backend& backend, const CallPtr& call);
void list_conflicts(const Backend& backend, const CallPtr& call);
void query_conflicts(const Backend& backend, const CallPtr& call);
// Reads or removes one that cannot exist.
void find_conflict(const Backend& backend, const CallPtr& call);
void list_offers(const Backend& backend, const CallPtr& call);
void query_offers(const Backend& backend, const CallPtr& call);
void read_offer(const Backend& backend, const CallPtr& call);
void replace_offer(const Backend& backend, const CallPtr& call);

// The container that holds the resource in the path; 404/1003 if it is missing.
Result<service::FoundContainer> owner_of(const Backend& backend, const Call& call);

// Whether a POST on a feed is a query rather than a create.
bool is_query(const Call& call);

// The query in a POST; valid until the call is answered.
service::QueryText query_text_of(Call& call);

// Answers with a control-plane resource: 304 if the client's copy is current, else `status`.
void respond_with(Call& call, unsigned status, const Result<service::ResourceAnswer>& answer);

}  // namespace orrery::gateway::handlers
