// The server's databases with their users, containers with their scripts, and offers, and the
// partitions of each container. Stored in its own partition and mirrored in memory: lookups take a
// shared lock, and those of frequent requests are remembered (service/lookup); changes are
// committed one at a time before they become visible.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/read_mostly.h"
#include "base/result.h"
#include "catalog/range_editor.h"
#include "catalog/resources.h"
#include "catalog/role_set.h"
#include "storage/engine.h"

namespace orrery::catalog {

struct NewContainer {
    model::ContainerDefinition definition;
    std::optional<model::Throughput> throughput;  // its own offer; nullopt shares the database's
    std::uint32_t partition_count = 1;
};

class Catalog final : public RangeEditor {
    struct Opened {};  // restricts construction to open()

public:
    Catalog(Opened /*opened*/, std::shared_ptr<storage::PartitionStore> store, const Clock& clock)
        : store_(std::move(store)), clock_(clock) {}

    // Fills an empty store, unless it refuses to be written to (kElsewhere).
    static Result<std::unique_ptr<Catalog>> open(std::shared_ptr<storage::PartitionStore> store,
                                                 const Clock& clock,
                                                 Random& random);

    // Takes over what the store holds now: somebody else has changed it.
    Status reload();

    // Lookups return null if there is none. Lists are in creation order.
    DatabasePtr find_database(std::string_view name) const;
    DatabasePtr find_database(model::DatabaseRid rid) const;
    std::vector<DatabasePtr> databases() const;
    ContainerPtr find_container(model::DatabaseRid database, std::string_view name) const;
    ContainerPtr find_container(model::ContainerRid rid) const;
    std::vector<ContainerPtr> containers(model::DatabaseRid database) const;
    std::vector<ContainerPtr> all_containers() const;
    OfferPtr find_offer(model::OfferRid rid) const;
    OfferPtr find_offer_of(std::string_view resource_rid) const;
    std::vector<OfferPtr> offers() const;
    ClientKeyPtr find_client_key(model::DatabaseRid database, std::string_view id) const;
    std::vector<ClientKeyPtr> client_keys(model::DatabaseRid database) const;
    UserPtr find_user(model::DatabaseRid database, std::string_view name) const;
    UserPtr find_user(model::UserRid rid) const;
    std::vector<UserPtr> users(model::DatabaseRid database) const;
    PermissionPtr find_permission(model::UserRid user, std::string_view name) const;
    PermissionPtr find_permission(const model::PermissionRid& rid) const;
    std::vector<PermissionPtr> permissions(model::UserRid user) const;
    // The containers of a database that have no offer of their own.
    std::vector<ContainerPtr> containers_without_offer(model::DatabaseRid database) const;

    // Changes with every change, and differs from those of other catalogs of the process. What was
    // found after reading it holds until it changes.
    std::uint64_t edition() const { return edition_.load(std::memory_order_acquire); }

    // Changes are durable when they return. kConflict if the name is taken, kNotFound if the
    // resource is missing, kPreconditionFailed if If-Match does not hold, kForbidden if too many
    // containers would share the throughput of a database.
    Result<DatabasePtr> create_database(std::string_view name,
                                        std::optional<model::Throughput> throughput);
    Status remove_database(model::DatabaseRid rid, const std::optional<std::string>& if_match);
    Result<ContainerPtr> create_container(model::DatabaseRid database, NewContainer container);
    Result<ContainerPtr> replace_container(model::ContainerRid rid,
                                           model::ContainerDefinition definition,
                                           const std::optional<std::string>& if_match);
    Status remove_container(model::ContainerRid rid, const std::optional<std::string>& if_match);
    // `stored_kb` is what the resource holds now. Both maxima of the offer are kept up to date.
    Result<OfferPtr> replace_offer(model::OfferRid rid,
                                   model::Throughput throughput,
                                   std::uint64_t stored_kb,
                                   const std::optional<std::string>& if_match);

    // The scripts of a container are in the container itself (Container::scripts). Changing one
    // publishes a new container with the same definition and etag. kForbidden if there are too
    // many.
    Result<ScriptPtr> create_script(model::ContainerRid container,
                                    model::ScriptKind kind,
                                    model::ScriptDefinition definition);
    // Replaces the script of that name, or creates it.
    struct UpsertedScript {
        ScriptPtr script;
        bool created = false;
    };
    Result<UpsertedScript> upsert_script(model::ContainerRid container,
                                         model::ScriptKind kind,
                                         model::ScriptDefinition definition,
                                         const std::optional<std::string>& if_match);
    Result<ScriptPtr> replace_script(const model::ScriptRid& rid,
                                     model::ScriptDefinition definition,
                                     const std::optional<std::string>& if_match);
    Status remove_script(const model::ScriptRid& rid, const std::optional<std::string>& if_match);

    Result<ClientKeyPtr> create_client_key(model::DatabaseRid database, json::Value definition);
    Result<ClientKeyPtr> replace_client_key(const model::ClientKeyRid& rid,
                                            json::Value definition,
                                            const std::optional<std::string>& if_match);

    // Users and permissions may be renamed. A user has one permission at most on a resource and
    // partition key: another one is kConflict. Removing a user removes its permissions.
    struct UpsertedUser {
        UserPtr user;
        bool created = false;
    };
    struct UpsertedPermission {
        PermissionPtr permission;
        bool created = false;
    };
    Result<UserPtr> create_user(model::DatabaseRid database, std::string_view name);
    Result<UpsertedUser> upsert_user(model::DatabaseRid database,
                                     std::string_view name,
                                     const std::optional<std::string>& if_match);
    Result<UserPtr> replace_user(model::UserRid rid,
                                 std::string_view name,
                                 const std::optional<std::string>& if_match);
    Status remove_user(model::UserRid rid, const std::optional<std::string>& if_match);
    Result<PermissionPtr> create_permission(model::UserRid user,
                                            model::PermissionDefinition definition);
    Result<UpsertedPermission> upsert_permission(model::UserRid user,
                                                 model::PermissionDefinition definition,
                                                 const std::optional<std::string>& if_match);
    Result<PermissionPtr> replace_permission(const model::PermissionRid& rid,
                                             model::PermissionDefinition definition,
                                             const std::optional<std::string>& if_match);
    Status remove_permission(const model::PermissionRid& rid,
                             const std::optional<std::string>& if_match);

    // Data-plane roles. Putting returns whether it is new. kForbidden for built-in definitions,
    // kConflict if a definition is assigned or its name is taken, kBadRequest for an assignment of
    // what does not exist or cannot be assigned there.
    RoleSetPtr roles() const { return roles_.load(); }
    Result<bool> put_role(model::RoleDefinition definition);
    Status remove_role(const std::string& id);
    Result<bool> put_role_assignment(model::RoleAssignment assignment);
    Status remove_role_assignment(const std::string& id);

    // See RangeEditor. What was reserved by an earlier run of the server, or by another node that
    // had the catalog, is no longer.
    Result<std::vector<storage::PartitionId>> reserve_partitions(std::uint32_t count) override;
    Status replace_ranges(model::ContainerRid rid,
                          const std::vector<std::uint32_t>& old_ids,
                          const std::vector<PartitionRange>& replacements) override;
    Status cancel_reservation(const std::vector<storage::PartitionId>& reserved) override;
    void abandon_partitions(const std::vector<storage::PartitionId>& reserved) override;

    // Partitions whose data has not been dropped yet, because their container was removed or other
    // partitions have replaced them. They are listed here in the same commit, so that no data is
    // orphaned by a crash.
    std::vector<storage::PartitionId> partitions_to_drop() const;
    Status forget_dropped(storage::PartitionId partition);

    // Random bytes created with the data directory, for signing tokens.
    const std::string& secret() const { return counters_.secret; }

private:
    // Numbers that are never reused. One entry in the store.
    struct Counters {
        std::uint64_t version = 0;
        std::uint32_t database = 0;
        std::uint32_t container = 0;
        std::uint32_t offer = 0;
        std::uint32_t user = 0;
        storage::PartitionId partition = 0;
        std::string secret;

        // Whether no numbers are left for a database, or for a container with so many partitions.
        bool exhausted(std::uint32_t partitions_wanted) const;

        std::string encode() const;
        static Result<Counters> decode(std::string_view text);
    };

    // Holds the lock while a committed change becomes visible, and then begins a new edition.
    class Publication {
    public:
        explicit Publication(Catalog& catalog) : catalog_(catalog), lock_(catalog.mutex_) {}
        Publication(const Publication&) = delete;
        Publication& operator=(const Publication&) = delete;
        ~Publication() { catalog_.edition_.store(new_edition(), std::memory_order_release); }

    private:
        Catalog& catalog_;
        const std::unique_lock<std::shared_mutex> lock_;
    };
    static std::uint64_t new_edition();

    // A change in progress: what to store, and the new counters.
    struct Change {
        storage::WriteBatch batch;
        Counters counters;
        Revision revision;
    };

    Status load(Random& random);
    Status load_entries();
    Status load_scripts(const std::vector<ScriptPtr>& scripts);
    Status load_users(const std::vector<UserPtr>& users,
                      const std::vector<PermissionPtr>& permissions);
    static Status load_role(RoleSet& roles, std::string_view key, std::string_view value);
    Change begin_change() const;
    Status commit(Change& change);
    OfferPtr add_offer(Change& change,
                       const std::string& resource_rid,
                       const std::string& resource_link,
                       const model::Throughput& throughput) const;
    Status check_sharing(model::DatabaseRid database, const NewContainer& wanted) const;
    // Both require change_mutex_.
    Result<ScriptPtr> add_script(const Container& container,
                                 model::ScriptKind kind,
                                 model::ScriptDefinition definition);
    Result<ScriptPtr> change_script(const Container& container,
                                    const ScriptPtr& old,
                                    model::ScriptDefinition definition,
                                    const std::optional<std::string>& if_match);
    Status publish_script(Change& change, const Container& container, const ScriptPtr& script);
    // Requires one of the locks.
    std::vector<ClientKeyPtr> client_keys_of(model::DatabaseRid database) const;
    Result<ClientKeyPtr> publish_client_key(ClientKey key);
    // These require change_mutex_, under which users_ can be read without the other lock.
    Result<UserPtr> add_user(model::DatabaseRid database, std::string_view name);
    Result<UserPtr> change_user(const User& old,
                                std::string_view name,
                                const std::optional<std::string>& if_match);
    Result<UserPtr> publish_user(Change& change, User user);
    Result<PermissionPtr> add_permission(model::UserRid user,
                                         model::PermissionDefinition definition);
    Result<PermissionPtr> change_permission(const Permission& old,
                                            model::PermissionDefinition definition,
                                            const std::optional<std::string>& if_match);
    Result<PermissionPtr> publish_permission(Change& change, Permission permission);
    Status publish_roles(Change& change, RoleSetPtr roles);
    void stage_removal(Change& change, const User& user) const;
    void stage_removal(Change& change, const Container& container) const;
    void stage_offer_removal(Change& change, const std::string& resource_rid) const;

    void remember(DatabasePtr database);
    void remember(ContainerPtr container);
    void remember(OfferPtr offer);
    void remember(const ClientKeyPtr& key);
    void forget(const Container& container);
    void forget_offer(const std::string& resource_rid);

    std::shared_ptr<storage::PartitionStore> store_;
    const Clock& clock_;
    std::mutex change_mutex_;                  // one change at a time
    std::set<storage::PartitionId> reserved_;  // guarded by change_mutex_
    Counters counters_;  // guarded by change_mutex_, except the secret, which never changes

    ReadMostlyPointer<const RoleSet> roles_{std::make_shared<const RoleSet>()};
    std::atomic<std::uint64_t> edition_ = new_edition();
    mutable std::shared_mutex mutex_;  // guards the members below
    std::map<model::DatabaseRid, DatabasePtr> databases_;
    std::unordered_map<std::string, DatabasePtr> databases_by_name_;
    std::map<model::ContainerRid, ContainerPtr> containers_;
    std::unordered_map<std::string, ContainerPtr> containers_by_name_;  // database number / name
    std::map<model::OfferRid, OfferPtr> offers_;
    std::unordered_map<std::string, OfferPtr> offers_by_resource_;
    UserIndex users_;
    std::map<model::ClientKeyRid, ClientKeyPtr> client_keys_;
    std::vector<storage::PartitionId> to_drop_;
};

}  // namespace orrery::catalog
