#include "catalog/catalog.h"

#include <algorithm>
#include <limits>

#include "base/base64.h"
#include "base/bytes.h"
#include "catalog/entry_reader.h"
#include "catalog/keys.h"
#include "catalog/refusals.h"
#include "model/limits.h"

namespace orrery::catalog {

namespace {

constexpr std::size_t kSecretBytes = 32;

std::string scoped_name(std::uint32_t database, std::string_view name) {
    return std::to_string(database) + "/" + std::string(name);
}

// Zero is the catalog's own partition: a damaged entry must not cause it to be dropped.
Result<storage::PartitionId> partition_to_drop(std::string_view key) {
    ByteReader reader(key.substr(1));
    const auto partition = reader.big_endian<storage::PartitionId>();
    if (!reader.ok() || !reader.rest().empty() || partition == 0) {
        return Error(ErrorCode::kCorrupted, "the catalog's list of removed partitions is damaged");
    }
    return partition;
}

template <typename Map, typename Key>
typename Map::mapped_type find_in(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
}

template <typename Map>
auto values_of(const Map& map) {
    std::vector<typename Map::mapped_type> out;
    out.reserve(map.size());
    for (const auto& [key, value] : map) {
        out.push_back(value);
    }
    return out;
}

}  // namespace

std::string Catalog::Counters::encode() const {
    json::Value out(json::Value::Object{});
    out.set("version", static_cast<std::int64_t>(version));
    out.set("database", std::int64_t{database});
    out.set("container", std::int64_t{container});
    out.set("offer", std::int64_t{offer});
    if (user != 0) out.set("user", std::int64_t{user});
    out.set("partition", std::int64_t{partition});
    out.set("secret", base64_encode(secret));
    return out.text();
}

Result<Catalog::Counters> Catalog::Counters::decode(std::string_view text) {
    EntryReader reader(text);
    Counters out;
    out.version = reader.version();
    out.database = reader.number<std::uint32_t>("database");
    out.container = reader.number("container", model::ContainerRid::kNumberMax);
    out.offer = reader.number("offer", model::OfferRid::kNumberMax);
    out.partition = reader.number<storage::PartitionId>("partition");
    // Not there before the first user.
    if (reader.member("user") != nullptr) {
        out.user = reader.number("user", model::UserRid::kNumberMax);
    }
    const auto secret = base64_decode(reader.string("secret"));
    if (!reader.ok() || !secret || secret->size() != kSecretBytes) {
        return Error(ErrorCode::kCorrupted, "the catalog's counters are damaged");
    }
    out.secret = *secret;
    return out;
}

bool Catalog::Counters::exhausted(std::uint32_t partitions_wanted) const {
    return database == std::numeric_limits<std::uint32_t>::max() ||
           container == model::ContainerRid::kNumberMax || offer == model::OfferRid::kNumberMax ||
           partition > std::numeric_limits<storage::PartitionId>::max() - partitions_wanted;
}

Result<std::unique_ptr<Catalog>> Catalog::open(std::shared_ptr<storage::PartitionStore> store,
                                               const Clock& clock,
                                               Random& random) {
    auto catalog = std::make_unique<Catalog>(Opened(), std::move(store), clock);
    TRY(catalog->load(random));
    return catalog;
}

Status Catalog::load(Random& random) {
    std::string text;
    if (TRY(store_->get(kCountersKey, text))) {
        counters_ = TRY(Counters::decode(text));
        return load_entries();
    }
    const auto anything = store_->scan({}, storage::Direction::kForward);
    if (anything->valid()) {
        return Error(ErrorCode::kCorrupted, "the catalog has entries but no counters");
    }
    counters_.secret = random.bytes(kSecretBytes);
    Change change = begin_change();
    return commit(change);
}

Status Catalog::load_entries() {
    std::vector<ScriptPtr> scripts;
    std::vector<UserPtr> users;
    std::vector<PermissionPtr> permissions;
    auto roles = std::make_shared<RoleSet>();
    const auto cursor = store_->scan({}, storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        const std::string_view key = cursor->key();
        switch (key.empty() ? '\0' : key[0]) {
            case kDatabaseLetter:
                remember(TRY(decode_database(cursor->value())));
                break;
            case kContainerLetter:
                remember(TRY(decode_container(cursor->value())));
                break;
            case kOfferLetter:
                remember(TRY(decode_offer(cursor->value())));
                break;
            case kScriptLetter:
                scripts.push_back(TRY(decode_script(cursor->value())));
                break;
            case kClientKeyLetter:
                remember(TRY(decode_client_key(cursor->value())));
                break;
            case kUserLetter:
                users.push_back(TRY(decode_user(cursor->value())));
                break;
            case kPermissionLetter:
                permissions.push_back(TRY(decode_permission(cursor->value())));
                break;
            case kRoleDefinitionLetter:
            case kRoleAssignmentLetter:
                TRY(load_role(*roles, key, cursor->value()));
                break;
            case kDropLetter:
                to_drop_.push_back(TRY(partition_to_drop(key)));
                break;
            default:
                if (key != kCountersKey) {
                    return Error(ErrorCode::kCorrupted, "the catalog has an entry of unknown kind");
                }
        }
    }
    TRY(cursor->status());
    roles_.store(std::move(roles));
    TRY(load_users(users, permissions));
    return load_scripts(scripts);
}

Status Catalog::reload() {
    const std::lock_guard changing(change_mutex_);
    Catalog fresh(Opened(), store_, clock_);
    std::string counters;
    if (!TRY(store_->get(kCountersKey, counters))) {
        return Error(ErrorCode::kCorrupted, "the catalog has no counters");
    }
    fresh.counters_ = TRY(Counters::decode(counters));
    TRY(fresh.load_entries());
    counters_ = std::move(fresh.counters_);
    reserved_.clear();
    roles_.store(std::const_pointer_cast<const RoleSet>(fresh.roles_.load()));
    const Publication publication(*this);
    databases_.swap(fresh.databases_);
    databases_by_name_.swap(fresh.databases_by_name_);
    containers_.swap(fresh.containers_);
    containers_by_name_.swap(fresh.containers_by_name_);
    offers_.swap(fresh.offers_);
    offers_by_resource_.swap(fresh.offers_by_resource_);
    std::swap(users_, fresh.users_);
    client_keys_.swap(fresh.client_keys_);
    to_drop_.swap(fresh.to_drop_);
    return {};
}

DatabasePtr Catalog::find_database(std::string_view name) const {
    const std::shared_lock lock(mutex_);
    return find_in(databases_by_name_, std::string(name));
}

DatabasePtr Catalog::find_database(model::DatabaseRid rid) const {
    const std::shared_lock lock(mutex_);
    return find_in(databases_, rid);
}

std::vector<DatabasePtr> Catalog::databases() const {
    const std::shared_lock lock(mutex_);
    return values_of(databases_);
}

ContainerPtr Catalog::find_container(model::DatabaseRid database, std::string_view name) const {
    const std::string scoped = scoped_name(database.number, name);
    const std::shared_lock lock(mutex_);
    return find_in(containers_by_name_, scoped);
}

ContainerPtr Catalog::find_container(model::ContainerRid rid) const {
    const std::shared_lock lock(mutex_);
    return find_in(containers_, rid);
}

std::vector<ContainerPtr> Catalog::containers(model::DatabaseRid database) const {
    const std::shared_lock lock(mutex_);
    std::vector<ContainerPtr> out;
    auto next = containers_.lower_bound({.database = database.number, .number = 0});
    for (; next != containers_.end() && next->first.database == database.number; ++next) {
        out.push_back(next->second);
    }
    return out;
}

std::vector<ContainerPtr> Catalog::all_containers() const {
    const std::shared_lock lock(mutex_);
    return values_of(containers_);
}

OfferPtr Catalog::find_offer(model::OfferRid rid) const {
    const std::shared_lock lock(mutex_);
    return find_in(offers_, rid);
}

OfferPtr Catalog::find_offer_of(std::string_view resource_rid) const {
    const std::shared_lock lock(mutex_);
    return find_in(offers_by_resource_, std::string(resource_rid));
}

std::vector<OfferPtr> Catalog::offers() const {
    const std::shared_lock lock(mutex_);
    return values_of(offers_);
}

std::vector<ContainerPtr> Catalog::containers_without_offer(model::DatabaseRid database) const {
    std::vector<ContainerPtr> out = containers(database);
    std::erase_if(
        out, [&](const ContainerPtr& one) { return find_offer_of(one->rid.text()) != nullptr; });
    return out;
}

std::vector<storage::PartitionId> Catalog::partitions_to_drop() const {
    const std::shared_lock lock(mutex_);
    return to_drop_;
}

std::uint64_t Catalog::new_edition() {
    static std::atomic<std::uint64_t> last = 0;
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

Catalog::Change Catalog::begin_change() const {
    Change change{.batch = {}, .counters = counters_, .revision = {}};
    change.revision = {.version = ++change.counters.version, .timestamp = clock_.now_seconds()};
    return change;
}

Status Catalog::commit(Change& change) {
    change.batch.put(kCountersKey, change.counters.encode());
    TRY(store_->commit(change.batch));
    counters_ = std::move(change.counters);
    return {};
}

Result<DatabasePtr> Catalog::create_database(std::string_view name,
                                             std::optional<model::Throughput> throughput) {
    const std::lock_guard changing(change_mutex_);
    if (find_database(name)) return database_name_taken();
    if (counters_.exhausted(0)) return numbers_exhausted();
    Change change = begin_change();
    auto database = std::make_shared<const Database>(Database{.rid = {++change.counters.database},
                                                              .name = std::string(name),
                                                              .revision = change.revision});
    change.batch.put(key_of(database->rid), encode(*database));
    OfferPtr offer;
    if (throughput) {
        offer = add_offer(change, database->rid.text(), database->self_link(), *throughput);
    }
    TRY(commit(change));
    const Publication publication(*this);
    if (offer) remember(offer);
    remember(database);
    return DatabasePtr(database);
}

Status Catalog::remove_database(model::DatabaseRid rid,
                                const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const DatabasePtr database = find_database(rid);
    if (!database) return not_found();
    TRY(check_etag(if_match, database->revision));
    Change change = begin_change();
    const std::vector<ContainerPtr> content = containers(rid);
    for (const ContainerPtr& container : content) {
        stage_removal(change, *container);
    }
    const std::vector<UserPtr> its_users = users_.users(rid);
    for (const UserPtr& user : its_users) {
        stage_removal(change, *user);
    }
    const std::vector<ClientKeyPtr> its_keys = client_keys_of(rid);
    for (const ClientKeyPtr& one : its_keys) {
        change.batch.remove(key_of(one->rid));
    }
    change.batch.remove(key_of(rid));
    stage_offer_removal(change, rid.text());
    TRY(commit(change));
    const Publication publication(*this);
    for (const ClientKeyPtr& one : its_keys) {
        client_keys_.erase(one->rid);
    }
    for (const UserPtr& user : its_users) {
        users_.remove(user->rid);
    }
    for (const ContainerPtr& container : content) {
        forget(*container);
    }
    databases_by_name_.erase(database->name);
    databases_.erase(rid);
    forget_offer(rid.text());
    return {};
}

Result<ContainerPtr> Catalog::create_container(model::DatabaseRid database, NewContainer wanted) {
    const std::lock_guard changing(change_mutex_);
    if (!find_database(database)) return not_found();
    if (find_container(database, wanted.definition.id)) return name_taken();
    TRY(check_sharing(database, wanted));
    if (counters_.exhausted(wanted.partition_count)) return numbers_exhausted();
    Change change = begin_change();
    const model::ContainerRid rid{.database = database.number,
                                  .number = ++change.counters.container};
    auto container = std::make_shared<Container>(rid, std::move(wanted.definition));
    container->revision = change.revision;

    const model::HashKind kind = container->definition.partition_key.kind;
    std::vector<std::string> bounds = model::initial_boundaries(kind, wanted.partition_count);
    bounds.insert(bounds.begin(), "");
    bounds.emplace_back(model::kEpkEnd);
    for (std::uint32_t i = 0; i < wanted.partition_count; ++i) {
        container->ranges.push_back(
            {.id = i,
             .epks = {.min_inclusive = bounds[i], .max_exclusive = bounds[i + 1]},
             .partition = ++change.counters.partition});
    }
    change.batch.put(key_of(rid), encode(*container));
    OfferPtr offer;
    if (wanted.throughput) {
        offer = add_offer(change, rid.text(), container->self_link(), *wanted.throughput);
    }
    TRY(commit(change));
    const Publication publication(*this);
    if (offer) remember(offer);
    remember(ContainerPtr(container));
    return ContainerPtr(container);
}

Status Catalog::check_sharing(model::DatabaseRid database, const NewContainer& wanted) const {
    const bool shares = !wanted.throughput && find_offer_of(database.text()) != nullptr;
    if (!shares) return {};
    const std::size_t count = containers_without_offer(database).size();
    if (count < model::limits::kSharingContainersMax) return {};
    return too_many_sharing_containers();
}

Result<ContainerPtr> Catalog::replace_container(model::ContainerRid rid,
                                                model::ContainerDefinition definition,
                                                const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const ContainerPtr old = find_container(rid);
    if (!old) return not_found();
    TRY(check_etag(if_match, old->revision));
    TRY(model::check_container_change(old->definition, definition));
    Change change = begin_change();
    auto container = std::make_shared<Container>(rid, std::move(definition));
    container->ranges = old->ranges;
    container->scripts = old->scripts;
    container->revision = change.revision;
    change.batch.put(key_of(rid), encode(*container));
    TRY(commit(change));
    const Publication publication(*this);
    remember(ContainerPtr(container));
    return ContainerPtr(container);
}

Status Catalog::remove_container(model::ContainerRid rid,
                                 const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const ContainerPtr container = find_container(rid);
    if (!container) return not_found();
    TRY(check_etag(if_match, container->revision));
    Change change = begin_change();
    stage_removal(change, *container);
    TRY(commit(change));
    const Publication publication(*this);
    forget(*container);
    return {};
}

Result<OfferPtr> Catalog::replace_offer(model::OfferRid rid,
                                        model::Throughput throughput,
                                        std::uint64_t stored_kb,
                                        const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const OfferPtr old = find_offer(rid);
    if (!old) return not_found();
    TRY(check_etag(if_match, old->revision));
    Change change = begin_change();
    auto offer = std::make_shared<Offer>(*old);
    offer->throughput = std::move(throughput);
    offer->highest_units = std::max(old->highest_units, offer->throughput.request_units);
    offer->highest_storage_kb = std::max(old->highest_storage_kb, stored_kb);
    offer->revision = change.revision;
    change.batch.put(key_of(rid), encode(*offer));
    TRY(commit(change));
    const Publication publication(*this);
    remember(OfferPtr(offer));
    return OfferPtr(offer);
}

Status Catalog::forget_dropped(storage::PartitionId partition) {
    const std::lock_guard changing(change_mutex_);
    Change change = begin_change();
    change.batch.remove(key_of(kDropLetter, partition));
    TRY(commit(change));
    const Publication publication(*this);
    std::erase(to_drop_, partition);
    return {};
}

OfferPtr Catalog::add_offer(Change& change,
                            const std::string& resource_rid,
                            const std::string& resource_link,
                            const model::Throughput& throughput) const {
    auto offer = std::make_shared<const Offer>(Offer{.rid = {++change.counters.offer},
                                                     .resource_rid = resource_rid,
                                                     .resource_link = resource_link,
                                                     .throughput = throughput,
                                                     .highest_units = throughput.request_units,
                                                     .revision = change.revision});
    change.batch.put(key_of(offer->rid), encode(*offer));
    return offer;
}

void Catalog::stage_removal(Change& change, const Container& container) const {
    change.batch.remove(key_of(container.rid));
    for (const model::ScriptKind kind : model::kScriptKinds) {
        for (const ScriptPtr& script : container.scripts.list(kind)) {
            change.batch.remove(key_of(script->rid));
        }
    }
    for (const PartitionRange& range : container.ranges) {
        change.batch.put(key_of(kDropLetter, range.partition), {});
    }
    stage_offer_removal(change, container.rid.text());
}

void Catalog::stage_offer_removal(Change& change, const std::string& resource_rid) const {
    if (const OfferPtr offer = find_offer_of(resource_rid)) change.batch.remove(key_of(offer->rid));
}

void Catalog::remember(DatabasePtr database) {
    databases_by_name_[database->name] = database;
    databases_[database->rid] = std::move(database);
}

void Catalog::remember(ContainerPtr container) {
    containers_by_name_[scoped_name(container->rid.database, container->definition.id)] = container;
    containers_[container->rid] = std::move(container);
}

void Catalog::remember(OfferPtr offer) {
    offers_by_resource_[offer->resource_rid] = offer;
    offers_[offer->rid] = std::move(offer);
}

void Catalog::forget(const Container& container) {
    for (const PartitionRange& range : container.ranges) {
        to_drop_.push_back(range.partition);
    }
    forget_offer(container.rid.text());
    containers_by_name_.erase(scoped_name(container.rid.database, container.definition.id));
    containers_.erase(container.rid);  // last: `container` may be owned by this map
}

void Catalog::forget_offer(const std::string& resource_rid) {
    const auto offer = offers_by_resource_.find(resource_rid);
    if (offer == offers_by_resource_.end()) return;
    offers_.erase(offer->second->rid);
    offers_by_resource_.erase(offer);
}

}  // namespace orrery::catalog
