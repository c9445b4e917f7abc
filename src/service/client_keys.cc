#include "service/client_keys.h"

#include "model/client_encryption.h"
#include "service/errors.h"
#include "service/lookup.h"
#include "service/resource_json.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

Result<json::Value> parse_key(std::string_view body) {
    return model::parse_client_encryption_key(TRY(parse_object(body)));
}

}  // namespace

Result<catalog::ClientKeyPtr> ClientKeys::find(const Address& address) const {
    const auto database = find_database(catalog_, address.database);
    if (!database) return owner_not_found();
    const auto rid = database->by_rid ? model::ClientKeyRid::parse(address.key) : std::nullopt;
    for (catalog::ClientKeyPtr& key : catalog_.client_keys(database->database->rid)) {
        if (rid ? key->rid == *rid : key->id() == address.key) return std::move(key);
    }
    return not_found();
}

Result<ResourceAnswer> ClientKeys::create(Context& context,
                                          std::string_view database,
                                          std::string_view body) {
    const auto owner = find_database(catalog_, database);
    if (!owner) return owner_not_found();
    json::Value definition = TRY(parse_key(body));
    const auto key = TRY(catalog_.create_client_key(owner->database->rid, std::move(definition)));
    context.receipt.charge = throughput::kResourceCharge;
    return ResourceAnswer{.body = to_json(*key), .etag = key->revision.etag()};
}

Result<ResourceAnswer> ClientKeys::read(const Context& context, const Address& address) {
    const catalog::ClientKeyPtr key = TRY(find(address));
    return read_answer(context.request, to_json(*key), key->revision.etag());
}

Result<ResourceAnswer> ClientKeys::replace(Context& context,
                                           const Address& address,
                                           std::string_view body) {
    const catalog::ClientKeyPtr old = TRY(find(address));
    json::Value definition = TRY(parse_key(body));
    if (definition.find("id")->string() != old->id()) {
        return bad_request("The 'id' of a client encryption key cannot be changed.");
    }
    const auto key = TRY(
        catalog_.replace_client_key(old->rid, std::move(definition), if_match_of(context.request)));
    context.receipt.charge = throughput::kResourceCharge;
    return ResourceAnswer{.body = to_json(*key), .etag = key->revision.etag()};
}

Result<ClientKeys::List> ClientKeys::list(Context& context,
                                          std::string_view database,
                                          const QueryText* query) {
    const auto owner = find_database(catalog_, database);
    if (!owner) return owner_not_found();
    std::vector<Listed> all;
    for (const catalog::ClientKeyPtr& key : catalog_.client_keys(owner->database->rid))
        all.push_back({key->rid.number, [key] { return to_json(*key); }});
    const std::string rid = owner->database->rid.text();
    return List{.database_rid = rid,
                .page = TRY(feed_.page(context, all, query, "client encryption keys " + rid))};
}

}  // namespace orrery::service
