#include "service/resources.h"

#include <algorithm>

#include "model/client_encryption.h"
#include "model/etag.h"
#include "model/limits.h"
#include "model/names.h"
#include "model/throughput_rules.h"
#include "service/computed.h"
#include "service/errors.h"
#include "service/resource_json.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

using json::Value;

ContainerAnswer container_answer(FoundContainer found, ApiVersion version) {
    const catalog::Container& container = *found.container;
    return {.resource = {.body = to_json(container, version), .etag = container.revision.etag()},
            .found = std::move(found)};
}

Result<std::optional<model::Throughput>> throughput_of(const Request& request) {
    return model::parse_throughput(
        request.offer_throughput, request.autopilot_settings, request.offer_type);
}

// Changes when ranges are added, because ids are never reused.
std::string ranges_etag(const catalog::Container& container) {
    std::uint32_t newest = 0;
    for (const catalog::PartitionRange& range : container.ranges) {
        newest = std::max(newest, range.id);
    }
    return "\"" + std::to_string(newest + 1) + "\"";
}

Status check_client_keys(const catalog::Catalog& catalog,
                         model::DatabaseRid database,
                         const Value& policy) {
    if (policy.is_null()) return {};
    for (const std::string& id : model::keys_of_policy(policy)) {
        if (!catalog.find_client_key(database, id)) {
            return bad_request("ClientEncryptionKey with id '[" + id + "]' does not exist.");
        }
    }
    return {};
}

}  // namespace

Result<ResourceAnswer> Resources::create_database(Context& context, std::string_view body) {
    const Value value = TRY(parse_object(body));
    const Value* id = value.find("id");
    if (id == nullptr || !id->is_string()) {
        return bad_request(
            "The input content is invalid because the required properties - 'id; ' - are missing.");
    }
    TRY(model::check_resource_name(id->string()));
    const auto throughput = TRY(throughput_of(context.request));
    if (throughput) TRY(model::check_throughput(*throughput, {}));
    const catalog::DatabasePtr database = TRY(catalog_.create_database(id->string(), throughput));
    context.receipt.charge = throughput::kResourceCharge;
    return ResourceAnswer{.body = to_json(*database), .etag = database->revision.etag()};
}

Result<ResourceAnswer> Resources::read_database(const Context& context, std::string_view segment) {
    const FoundDatabase found = TRY(find_database(catalog_, segment));
    return read_answer(context.request, to_json(*found.database), found.database->revision.etag());
}

Status Resources::remove_database(Context& context, std::string_view segment) {
    const FoundDatabase found = TRY(find_database(catalog_, segment));
    TRY(catalog_.remove_database(found.database->rid, if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    options_.on_removal();
    return {};
}

Result<Page> Resources::list_databases(Context& context, const QueryText* query) {
    std::vector<Listed> all;
    for (const catalog::DatabasePtr& database : catalog_.databases()) {
        all.push_back({database->rid.number, [database] { return to_json(*database); }});
    }
    return feed_.page(context, all, query, "databases");
}

Result<catalog::NewContainer> Resources::plan_container(const Request& request,
                                                        const catalog::Database& database,
                                                        std::string_view body) const {
    const Value value = TRY(parse_object(body));
    if (request.api_version < kPartitionedContainers && value.find("partitionKey") != nullptr) {
        return bad_request("Partitioned containers need API version 2015-12-16 or later.");
    }
    catalog::NewContainer wanted;
    wanted.definition = TRY(model::parse_container_definition(
        value,
        {.partition_key_required = request.api_version >= kPartitionKeyRequired,
         .policy_form = policy_form_of(request.api_version)}));
    TRY(parse_computed(wanted.definition.computed_properties));
    TRY(check_client_keys(catalog_, database.rid, wanted.definition.client_encryption_policy));
    wanted.throughput = TRY(throughput_of(request));
    // A container in a database with throughput shares it; any other has its own.
    const catalog::OfferPtr shared = catalog_.find_offer_of(database.rid.text());
    if (!wanted.throughput && !shared) {
        wanted.throughput =
            model::Throughput{.request_units = model::limits::kThroughputMin, .autoscale = false};
    }
    const bool has_key = !wanted.definition.partition_key.system_key;
    if (wanted.throughput) {
        TRY(model::check_throughput(*wanted.throughput, {.has_partition_key = has_key}));
    }
    if (!has_key) {
        wanted.partition_count = 1;
    } else {
        wanted.partition_count = options_.partition_count.value_or(
            wanted.throughput ? model::partition_count_for(*wanted.throughput)
                              : model::shared_partition_count_for(shared->throughput));
    }
    return wanted;
}

Result<ContainerAnswer> Resources::create_container(Context& context,
                                                    std::string_view database,
                                                    std::string_view body) {
    const auto found = find_database(catalog_, database);
    if (!found) return owner_not_found();
    catalog::NewContainer wanted = TRY(plan_container(context.request, *found->database, body));
    catalog::ContainerPtr container =
        TRY(catalog_.create_container(found->database->rid, std::move(wanted)));
    context.receipt.charge = throughput::kResourceCharge;
    return container_answer(
        {.database = found->database, .container = std::move(container), .by_rid = found->by_rid},
        context.request.api_version);
}

Result<ContainerAnswer> Resources::read_container(const Context& context,
                                                  const ContainerAddress& address) {
    FoundContainer found = TRY(find_container(catalog_, address, context.request.api_version));
    ResourceAnswer resource = read_answer(context.request,
                                          to_json(*found.container, context.request.api_version),
                                          found.container->revision.etag());
    return ContainerAnswer{.resource = std::move(resource), .found = std::move(found)};
}

Result<ContainerAnswer> Resources::replace_container(Context& context,
                                                     const ContainerAddress& address,
                                                     std::string_view body) {
    FoundContainer found = TRY(find_container(catalog_, address, context.request.api_version));
    Value value = TRY(parse_object(body));
    const model::PartitionKeyDefinition& key = found.container->definition.partition_key;
    // Old clients cannot see the key, so they cannot send it.
    const Value* sent_key = value.find("partitionKey");
    if (key.system_key && (sent_key == nullptr || sent_key->is_null())) {
        value.set("partitionKey",
                  *model::to_json(found.container->definition).find("partitionKey"));
    }
    // As in the service, a missing policy means "keep": these can never change.
    const Value kept = model::to_json(found.container->definition);
    for (const char* policy :
         {"uniqueKeyPolicy", "conflictResolutionPolicy", "clientEncryptionPolicy"}) {
        const Value* old = kept.find(policy);
        if (old != nullptr && value.find(policy) == nullptr) value.set(policy, *old);
    }
    model::ContainerDefinition definition = TRY(model::parse_container_definition(
        value,
        {.partition_key_required = true,
         .policy_form = policy_form_of(context.request.api_version)}));
    TRY(parse_computed(definition.computed_properties));
    // Some clients read `systemKey` but do not send it back (Go).
    definition.partition_key.system_key = key.system_key;
    found.container = TRY(catalog_.replace_container(
        found.container->rid, std::move(definition), if_match_of(context.request)));
    options_.on_replacement(found.container->rid);
    context.receipt.charge = throughput::kResourceCharge;
    return container_answer(std::move(found), context.request.api_version);
}

Status Resources::remove_container(Context& context, const ContainerAddress& address) {
    const FoundContainer found =
        TRY(find_container(catalog_, address, context.request.api_version));
    TRY(catalog_.remove_container(found.container->rid, if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    options_.on_removal();
    return {};
}

Result<Resources::ContainerList> Resources::list_containers(Context& context,
                                                            std::string_view database,
                                                            const QueryText* query) {
    const auto found = find_database(catalog_, database);
    if (!found) return owner_not_found();
    std::vector<Listed> all;
    for (const catalog::ContainerPtr& container : catalog_.containers(found->database->rid)) {
        if (!visible_to(*container, context.request.api_version)) continue;
        all.push_back({container->rid.number, [container, version = context.request.api_version] {
                           return to_json(*container, version);
                       }});
    }
    const std::string rid = found->database->rid.text();
    return ContainerList{.database_rid = rid,
                         .page = TRY(feed_.page(context, all, query, "containers " + rid))};
}

Result<Page> Resources::list_conflicts(Context& context,
                                       const catalog::Container& container,
                                       const QueryText* query) {
    return feed_.page(context, {}, query, "conflicts " + container.rid.text());
}

Result<RangesAnswer> Resources::list_ranges(Context& context,
                                            const catalog::Container& container,
                                            bool incremental) {
    RangesAnswer answer;
    answer.etag = ranges_etag(container);
    if (incremental && context.request.if_none_match &&
        model::etag_matches(*context.request.if_none_match, answer.etag)) {
        answer.not_modified = true;
        return answer;
    }
    std::vector<Listed> all;
    for (const catalog::PartitionRange& range : container.ranges) {
        all.push_back({range.id, [&] { return to_json(container, range); }});
    }
    // Clients build their routing map from one response and do not expect pages.
    context.request.max_item_count = "-1";
    answer.page = TRY(feed_.page(context, all, nullptr, "ranges " + container.rid.text()));
    return answer;
}

Result<ResourceAnswer> Resources::read_range(const catalog::Container& container,
                                             std::string_view id) {
    for (const catalog::PartitionRange& range : container.ranges) {
        Value body = to_json(container, range);
        if (body.find("id")->string() == id || body.find("_rid")->string() == id) {
            return ResourceAnswer{.body = std::move(body), .etag = container.revision.etag()};
        }
    }
    return not_found();
}

}  // namespace orrery::service
