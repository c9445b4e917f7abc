// The catalog's resources: immutable, replaced as a whole on change.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "catalog/client_key.h"
#include "catalog/revision.h"
#include "catalog/script_set.h"
#include "catalog/user_index.h"
#include "json/value.h"
#include "model/container_definition.h"
#include "model/item_body.h"
#include "model/resource_id.h"
#include "model/throughput.h"
#include "storage/engine.h"

namespace orrery::catalog {

struct Database {
    model::DatabaseRid rid;
    std::string name;
    Revision revision;

    std::string self_link() const;  // dbs/AQAAAA==/
};

// A part of a container's hash space and the partition that holds it.
struct PartitionRange {
    std::uint32_t id = 0;  // visible to clients; never reused within the container
    model::EpkRange epks;
    storage::PartitionId partition = 0;
    // The ranges that held its keys before, all the way back; ascending. They are gone.
    std::vector<std::uint32_t> parents = {};
};

// Whether every key has exactly one range, in order: routing relies on it.
bool tile_the_hash_space(const std::vector<PartitionRange>& ranges);

struct Container {
    Container(model::ContainerRid container_rid, model::ContainerDefinition container_definition);

    model::ContainerRid rid;
    model::ContainerDefinition definition;
    model::ItemPaths item_paths;
    std::vector<PartitionRange> ranges;  // cover the hash space, in order
    ScriptSet scripts;
    Revision revision;  // of the definition; scripts have their own

    std::string self_link() const;  // dbs/AQAAAA==/colls/AQAAAIAAAAE=/
    // The range an EPK falls into, as an index into `ranges`.
    std::size_t range_of(std::string_view epk) const;
};

struct Offer {
    model::OfferRid rid;
    std::string resource_rid;   // of its database or container
    std::string resource_link;  // its self link
    model::Throughput throughput;
    // The most ever provisioned and stored: they determine how little may be provisioned.
    std::int64_t highest_units = 0;
    std::uint64_t highest_storage_kb = 0;  // as of the last replacement
    Revision revision;
};

using DatabasePtr = std::shared_ptr<const Database>;
using ContainerPtr = std::shared_ptr<const Container>;
using OfferPtr = std::shared_ptr<const Offer>;

// Stored form (docs/storage-format.md). Decoding is lossless.
std::string encode(const Database& database);
std::string encode(const Container& container);
std::string encode(const Offer& offer);
std::string encode(const Script& script);
std::string encode(const ClientKey& key);
std::string encode(const User& user);
std::string encode(const Permission& permission);
Result<DatabasePtr> decode_database(std::string_view text);
Result<ContainerPtr> decode_container(std::string_view text);  // without its scripts
Result<OfferPtr> decode_offer(std::string_view text);
Result<ScriptPtr> decode_script(std::string_view text);
Result<ClientKeyPtr> decode_client_key(std::string_view text);
Result<UserPtr> decode_user(std::string_view text);
Result<PermissionPtr> decode_permission(std::string_view text);

}  // namespace orrery::catalog
