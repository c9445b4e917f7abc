#include "service/resource_json.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace orrery::service {

namespace {

using json::Value;

void set_system_properties(Value& out,
                           const std::string& rid,
                           const std::string& self,
                           const catalog::Revision& revision) {
    out.set("_rid", rid);
    out.set("_self", self);
    out.set("_etag", revision.etag());
    out.set("_ts", revision.timestamp);
}

Value autoscale_settings(const model::Throughput& throughput) {
    Value out(Value::Object{{"tier", 0},
                            {"maximumTierThroughput", throughput.request_units},
                            {"autoUpgrade", false},
                            {"maxThroughput", throughput.request_units},
                            {"targetMaxThroughput", 0}});
    if (throughput.auto_upgrade_policy) {
        out.set("autoUpgradePolicy", *throughput.auto_upgrade_policy);
    }
    return out;
}

}  // namespace

model::PolicyForm policy_form_of(ApiVersion version) {
    return version < kCurrentPolicyForm ? model::PolicyForm::kLegacy : model::PolicyForm::kCurrent;
}

Value to_json(const catalog::Database& database) {
    Value out(Value::Object{});
    out.set("id", database.name);
    set_system_properties(out, database.rid.text(), database.self_link(), database.revision);
    out.set("_colls", "colls/");
    out.set("_users", "users/");
    return out;
}

Value to_json(const catalog::Container& container, ApiVersion version) {
    Value out = model::to_json(container.definition);
    out.set(
        "indexingPolicy",
        model::indexing_policy_in(policy_form_of(version), container.definition.indexing_policy));
    if (container.definition.partition_key.system_key && version < kPartitionKeyRequired) {
        out.remove("partitionKey");
    }
    set_system_properties(out, container.rid.text(), container.self_link(), container.revision);
    out.set("_docs", "docs/");
    out.set("_sprocs", "sprocs/");
    out.set("_triggers", "triggers/");
    out.set("_udfs", "udfs/");
    out.set("_conflicts", "conflicts/");
    return out;
}

Value to_json(const catalog::Offer& offer, const OfferFigures& figures) {
    const model::Throughput& throughput = offer.throughput;
    Value content(Value::Object{});
    content.set("offerThroughput", figures.units);
    content.set("offerIsRUPerMinuteThroughputEnabled", false);
    content.set("offerMinimumThroughputParameters",
                Value(Value::Object{{"maxThroughputEverProvisioned", offer.highest_units},
                                    {"maxConsumedStorageEverInKB",
                                     static_cast<std::int64_t>(figures.highest_storage_kb)}}));
    content.set("offerLastReplaceTimestamp", offer.revision.timestamp);
    if (throughput.autoscale) {
        content.set("offerAutopilotSettings", autoscale_settings(throughput));
    }
    if (!throughput.buckets.empty()) {
        content.set("throughputBuckets", model::to_json(throughput.buckets));
    }
    Value out(Value::Object{});
    out.set("id", offer.rid.text());
    set_system_properties(
        out, offer.rid.text(), "offers/" + offer.rid.text() + "/", offer.revision);
    out.set("offerVersion", throughput.level == model::PerformanceLevel::kNone ? "V2" : "V1");
    out.set("offerType", name_of(throughput.level));
    out.set("offerResourceId", offer.resource_rid);
    out.set("resource", offer.resource_link);
    out.set("content", std::move(content));
    return out;
}

Value to_json(const catalog::Script& script) {
    Value out = model::to_json(script.definition);
    set_system_properties(out, script.rid.text(), script.self_link(), script.revision);
    return out;
}

Value to_json(const catalog::ClientKey& key) {
    Value out = key.definition;
    set_system_properties(out, key.rid.text(), key.self_link(), key.revision);
    return out;
}

Value to_json(const catalog::User& user) {
    Value out(Value::Object{});
    out.set("id", user.name);
    set_system_properties(out, user.rid.text(), user.self_link(), user.revision);
    out.set("_permissions", "permissions/");
    return out;
}

Value to_json(const catalog::Permission& permission) {
    Value out = model::to_json(permission.definition);
    set_system_properties(out, permission.rid.text(), permission.self_link(), permission.revision);
    return out;
}

Value to_json(const catalog::Container& container, const catalog::PartitionRange& range) {
    const std::string rid =
        model::PartitionKeyRangeRid{.container = container.rid, .number = range.id}.text();
    Value out(Value::Object{});
    out.set("id", std::to_string(range.id));
    set_system_properties(
        out, rid, container.self_link() + "pkranges/" + rid + "/", container.revision);
    out.set("minInclusive", to_hex_upper(range.epks.min_inclusive));
    out.set("maxExclusive", to_hex_upper(range.epks.max_exclusive));
    out.set("ridPrefix", std::int64_t{range.id});
    const double fraction = 1.0 / static_cast<double>(container.ranges.size());
    auto share = Value::parse(fmt::format("{}", fraction));
    out.set("throughputFraction", share ? std::move(share).take() : Value(1));
    out.set("status", "online");
    Value::Array parents;
    for (const std::uint32_t parent : range.parents)
        parents.push_back(std::to_string(parent));
    out.set("parents", std::move(parents));
    out.set("ownedArchivalPKRangeIds", Value::Array{});
    return out;
}

}  // namespace orrery::service
