#include "catalog/resources.h"

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "base/check.h"
#include "catalog/entry_reader.h"
#include "model/client_encryption.h"
#include "model/etag.h"

namespace orrery::catalog {

namespace {

using json::Value;

Error damaged(const char* what) {
    return Error(ErrorCode::kCorrupted,
                 std::string("the catalog entry of ") + what + " is damaged");
}

void encode_revision(Value& out, const Revision& revision) {
    out.set("version", static_cast<std::int64_t>(revision.version));
    out.set("timestamp", revision.timestamp);
}

Result<PartitionRange> decode_range(const Value& entry) {
    EntryReader reader(entry);
    PartitionRange range;
    range.id = reader.number("id", model::kRangeIdMax);
    range.partition = reader.number<storage::PartitionId>("partition");
    const auto min = model::parse_epk(reader.string("min"));
    const auto max = model::parse_epk(reader.string("max"));
    if (!reader.ok() || !min || !max) return damaged("a partition range");
    range.epks = {.min_inclusive = *min, .max_exclusive = *max};
    if (const Value* parents = reader.member("parents")) {
        if (!parents->is_array()) return damaged("a partition range");
        for (const Value& parent : parents->array()) {
            const auto id = parent.integer();
            if (!id || *id < 0 || *id > model::kRangeIdMax) return damaged("a partition range");
            range.parents.push_back(static_cast<std::uint32_t>(*id));
        }
    }
    return range;
}

}  // namespace

bool tile_the_hash_space(const std::vector<PartitionRange>& ranges) {
    std::string_view end;
    for (const PartitionRange& range : ranges) {
        if (range.epks.min_inclusive != end || range.epks.max_exclusive <= end) return false;
        end = range.epks.max_exclusive;
    }
    return end == model::kEpkEnd;
}

std::string Revision::etag() const {
    std::string out;
    model::append_etag(out,
                       {.lsn = version, .partition = 0, .ordinal = 0, .unix_seconds = timestamp});
    return out;
}

std::string Database::self_link() const { return "dbs/" + rid.text() + "/"; }

Container::Container(model::ContainerRid container_rid,
                     model::ContainerDefinition container_definition)
    : rid(container_rid), definition(std::move(container_definition)), item_paths(definition) {}

std::string Container::self_link() const {
    return "dbs/" + model::DatabaseRid{rid.database}.text() + "/colls/" + rid.text() + "/";
}

std::size_t Container::range_of(std::string_view epk) const {
    const auto after = std::upper_bound(
        ranges.begin(), ranges.end(), epk, [](std::string_view key, const PartitionRange& range) {
            return key < range.epks.min_inclusive;
        });
    CHECK(after != ranges.begin());
    return static_cast<std::size_t>(after - ranges.begin()) - 1;
}

std::string encode(const Database& database) {
    Value out(Value::Object{});
    out.set("number", std::int64_t{database.rid.number});
    out.set("name", database.name);
    encode_revision(out, database.revision);
    return out.text();
}

std::string encode(const Container& container) {
    Value out(Value::Object{});
    out.set("database", std::int64_t{container.rid.database});
    out.set("number", std::int64_t{container.rid.number});
    out.set("definition", model::to_json(container.definition));
    Value::Array ranges;
    for (const PartitionRange& range : container.ranges) {
        Value entry(Value::Object{});
        entry.set("id", std::int64_t{range.id});
        entry.set("min", to_hex_upper(range.epks.min_inclusive));
        entry.set("max", to_hex_upper(range.epks.max_exclusive));
        entry.set("partition", std::int64_t{range.partition});
        if (!range.parents.empty()) {
            Value::Array parents;
            for (const std::uint32_t parent : range.parents)
                parents.push_back(std::int64_t{parent});
            entry.set("parents", std::move(parents));
        }
        ranges.push_back(std::move(entry));
    }
    out.set("ranges", std::move(ranges));
    encode_revision(out, container.revision);
    return out.text();
}

std::string encode(const Offer& offer) {
    Value out(Value::Object{});
    out.set("number", std::int64_t{offer.rid.number});
    out.set("resourceRid", offer.resource_rid);
    out.set("resourceLink", offer.resource_link);
    out.set("requestUnits", offer.throughput.request_units);
    out.set("autoscale", offer.throughput.autoscale);
    if (offer.throughput.level != model::PerformanceLevel::kNone) {
        out.set("level", name_of(offer.throughput.level));
    }
    if (offer.throughput.auto_upgrade_policy) {
        out.set("autoUpgradePolicy", *offer.throughput.auto_upgrade_policy);
    }
    if (!offer.throughput.buckets.empty()) {
        out.set("buckets", model::to_json(offer.throughput.buckets));
    }
    if (offer.highest_units != offer.throughput.request_units) {
        out.set("highestRequestUnits", offer.highest_units);
    }
    if (offer.highest_storage_kb != 0) {
        out.set("highestStorageKb", static_cast<std::int64_t>(offer.highest_storage_kb));
    }
    encode_revision(out, offer.revision);
    return out.text();
}

std::string encode(const Script& script) {
    Value out(Value::Object{});
    out.set("database", std::int64_t{script.rid.container.database});
    out.set("container", std::int64_t{script.rid.container.number});
    out.set("kind", model::segment_of(script.rid.kind));
    out.set("number", static_cast<std::int64_t>(script.rid.number));
    out.set("definition", model::to_json(script.definition));
    encode_revision(out, script.revision);
    return out.text();
}

std::string encode(const ClientKey& key) {
    Value out(Value::Object{});
    out.set("database", std::int64_t{key.rid.database});
    out.set("number", std::int64_t{key.rid.number});
    out.set("definition", key.definition);
    encode_revision(out, key.revision);
    return out.text();
}

std::string encode(const User& user) {
    Value out(Value::Object{});
    out.set("database", std::int64_t{user.rid.database});
    out.set("number", std::int64_t{user.rid.number});
    out.set("name", user.name);
    encode_revision(out, user.revision);
    return out.text();
}

std::string encode(const Permission& permission) {
    Value out(Value::Object{});
    out.set("database", std::int64_t{permission.rid.user.database});
    out.set("user", std::int64_t{permission.rid.user.number});
    out.set("number", static_cast<std::int64_t>(permission.rid.number));
    out.set("definition", model::to_json(permission.definition));
    encode_revision(out, permission.revision);
    return out.text();
}

Result<DatabasePtr> decode_database(std::string_view text) {
    EntryReader reader(text);
    Database out;
    out.rid.number = reader.number<std::uint32_t>("number");
    out.name = reader.string("name");
    out.revision = reader.revision();
    if (!reader.ok()) return damaged("a database");
    return std::make_shared<const Database>(std::move(out));
}

Result<ContainerPtr> decode_container(std::string_view text) {
    EntryReader reader(text);
    const model::ContainerRid rid{
        .database = reader.number<std::uint32_t>("database"),
        .number = reader.number("number", model::ContainerRid::kNumberMax)};
    const Revision revision = reader.revision();
    const Value::Array ranges = reader.array("ranges");
    const Value* definition = reader.member("definition");
    if (!reader.ok() || definition == nullptr) return damaged("a container");
    auto parsed = model::parse_container_definition(*definition, model::kStoredDefinition);
    if (!parsed) return damaged("a container");
    auto out = std::make_shared<Container>(rid, std::move(parsed).take());
    for (const Value& range : ranges) {
        out->ranges.push_back(TRY(decode_range(range)));
    }
    out->revision = revision;
    if (!tile_the_hash_space(out->ranges)) return damaged("a container");
    return ContainerPtr(std::move(out));
}

Result<OfferPtr> decode_offer(std::string_view text) {
    EntryReader reader(text);
    Offer out;
    out.rid.number = reader.number("number", model::OfferRid::kNumberMax);
    out.resource_rid = reader.string("resourceRid");
    out.resource_link = reader.string("resourceLink");
    out.throughput.request_units = reader.number<std::int64_t>("requestUnits");
    out.throughput.autoscale = reader.boolean("autoscale");
    if (reader.member("level") != nullptr) {
        const auto level = model::parse_performance_level(reader.string("level"));
        if (!level) return damaged("an offer");
        out.throughput.level = *level;
    }
    if (const Value* policy = reader.member("autoUpgradePolicy")) {
        out.throughput.auto_upgrade_policy = *policy;
    }
    if (const Value* buckets = reader.member("buckets")) {
        auto parsed = model::parse_throughput_buckets(*buckets);
        if (!parsed) return damaged("an offer");
        out.throughput.buckets = std::move(parsed).take();
    }
    out.highest_units = reader.member("highestRequestUnits") == nullptr
                            ? out.throughput.request_units
                            : reader.number<std::int64_t>("highestRequestUnits");
    if (reader.member("highestStorageKb") != nullptr) {
        out.highest_storage_kb = reader.number<std::uint64_t>(
            "highestStorageKb", std::numeric_limits<std::int64_t>::max());
    }
    out.revision = reader.revision();
    if (!reader.ok()) return damaged("an offer");
    return std::make_shared<const Offer>(std::move(out));
}

Result<ScriptPtr> decode_script(std::string_view text) {
    EntryReader reader(text);
    Script out;
    out.rid.container = {.database = reader.number<std::uint32_t>("database"),
                         .number = reader.number("container", model::ContainerRid::kNumberMax)};
    const std::string segment = reader.string("kind");
    out.rid.number = reader.number<std::uint64_t>("number", model::kStoredLsnMax);
    out.revision = reader.revision();
    const Value* definition = reader.member("definition");
    const auto kind = std::find_if(
        model::kScriptKinds.begin(), model::kScriptKinds.end(), [&](model::ScriptKind one) {
            return model::segment_of(one) == segment;
        });
    if (!reader.ok() || definition == nullptr || kind == model::kScriptKinds.end()) {
        return damaged("a script");
    }
    out.rid.kind = *kind;
    auto parsed = model::parse_script_definition(*kind, *definition);
    if (!parsed) return damaged("a script");
    out.definition = std::move(parsed).take();
    return std::make_shared<const Script>(std::move(out));
}

Result<ClientKeyPtr> decode_client_key(std::string_view text) {
    EntryReader reader(text);
    ClientKey out;
    out.rid = {.database = reader.number<std::uint32_t>("database"),
               .number = reader.number<std::uint32_t>("number")};
    out.revision = reader.revision();
    const Value* definition = reader.member("definition");
    if (!reader.ok() || definition == nullptr) return damaged("a client encryption key");
    auto parsed = model::parse_client_encryption_key(*definition);
    if (!parsed) return damaged("a client encryption key");
    out.definition = std::move(parsed).take();
    return std::make_shared<const ClientKey>(std::move(out));
}

Result<UserPtr> decode_user(std::string_view text) {
    EntryReader reader(text);
    User out;
    out.rid = {.database = reader.number<std::uint32_t>("database"),
               .number = reader.number("number", model::UserRid::kNumberMax)};
    out.name = reader.string("name");
    out.revision = reader.revision();
    if (!reader.ok()) return damaged("a user");
    return std::make_shared<const User>(std::move(out));
}

Result<PermissionPtr> decode_permission(std::string_view text) {
    EntryReader reader(text);
    Permission out;
    out.rid.user = {.database = reader.number<std::uint32_t>("database"),
                    .number = reader.number("user", model::UserRid::kNumberMax)};
    out.rid.number = reader.number<std::uint64_t>("number", model::kStoredLsnMax);
    out.revision = reader.revision();
    const Value* definition = reader.member("definition");
    if (!reader.ok() || definition == nullptr) return damaged("a permission");
    auto parsed = model::parse_permission_definition(*definition);
    if (!parsed) return damaged("a permission");
    out.definition = std::move(parsed).take();
    return std::make_shared<const Permission>(std::move(out));
}

}  // namespace orrery::catalog
