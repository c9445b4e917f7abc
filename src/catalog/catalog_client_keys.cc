// The part of the catalog that manages client encryption keys. They are never removed, except with
// their database: items may be encrypted with them.

#include "catalog/catalog.h"
#include "catalog/keys.h"
#include "catalog/refusals.h"
#include "model/limits.h"

namespace orrery::catalog {

std::string ClientKey::self_link() const {
    return "dbs/" + model::DatabaseRid{rid.database}.text() + "/clientencryptionkeys/" +
           rid.text() + "/";
}

std::vector<ClientKeyPtr> Catalog::client_keys(model::DatabaseRid database) const {
    const std::shared_lock lock(mutex_);
    return client_keys_of(database);
}

std::vector<ClientKeyPtr> Catalog::client_keys_of(model::DatabaseRid database) const {
    std::vector<ClientKeyPtr> out;
    auto next = client_keys_.lower_bound({.database = database.number, .number = 0});
    for (; next != client_keys_.end() && next->first.database == database.number; ++next)
        out.push_back(next->second);
    return out;
}

ClientKeyPtr Catalog::find_client_key(model::DatabaseRid database, std::string_view id) const {
    for (ClientKeyPtr& key : client_keys(database)) {
        if (key->id() == id) return std::move(key);
    }
    return nullptr;
}

Result<ClientKeyPtr> Catalog::create_client_key(model::DatabaseRid database,
                                                json::Value definition) {
    const std::lock_guard changing(change_mutex_);
    if (!find_database(database)) return not_found();
    const std::vector<ClientKeyPtr> others = client_keys(database);
    ClientKey key{.rid = {.database = database.number, .number = 1},
                  .definition = std::move(definition),
                  .revision = {}};
    for (const ClientKeyPtr& other : others) {
        if (other->id() == key.id()) return name_taken();
        key.rid.number = other->rid.number + 1;
    }
    if (others.size() >= model::limits::kClientKeysMax) return too_many_client_keys();
    return publish_client_key(std::move(key));
}

Result<ClientKeyPtr> Catalog::replace_client_key(const model::ClientKeyRid& rid,
                                                 json::Value definition,
                                                 const std::optional<std::string>& if_match) {
    const std::lock_guard changing(change_mutex_);
    const auto old = client_keys_.find(rid);
    if (old == client_keys_.end()) return not_found();
    TRY(check_etag(if_match, old->second->revision));
    return publish_client_key({.rid = rid, .definition = std::move(definition), .revision = {}});
}

Result<ClientKeyPtr> Catalog::publish_client_key(ClientKey key) {
    Change change = begin_change();
    key.revision = change.revision;
    change.batch.put(key_of(key.rid), encode(key));
    TRY(commit(change));
    const auto published = std::make_shared<const ClientKey>(std::move(key));
    const Publication publication(*this);
    remember(ClientKeyPtr(published));
    return ClientKeyPtr(published);
}

void Catalog::remember(const ClientKeyPtr& key) { client_keys_[key->rid] = key; }

}  // namespace orrery::catalog
