#include "service/lookup.h"

#include "service/errors.h"

namespace orrery::service {

Result<FoundDatabase> find_database(const catalog::Catalog& catalog, std::string_view segment) {
    if (const auto rid = model::DatabaseRid::parse(segment)) {
        if (auto found = catalog.find_database(*rid)) {
            return FoundDatabase{.database = std::move(found), .by_rid = true};
        }
    }
    if (auto found = catalog.find_database(segment)) {
        return FoundDatabase{.database = std::move(found), .by_rid = false};
    }
    return not_found();
}

Result<FoundContainer> find_container(const catalog::Catalog& catalog,
                                      const ContainerAddress& address,
                                      ApiVersion version) {
    auto database = find_database(catalog, address.database);
    if (!database) return owner_not_found();
    FoundContainer found{
        .database = database->database, .container = nullptr, .by_rid = database->by_rid};
    if (found.by_rid) {
        const auto rid = model::ContainerRid::parse(address.container);
        if (rid && rid->database == found.database->rid.number) {
            found.container = catalog.find_container(*rid);
        }
    } else {
        found.container = catalog.find_container(found.database->rid, address.container);
    }
    if (!found.container || !visible_to(*found.container, version)) return not_found();
    return found;
}

bool visible_to(const catalog::Container& container, ApiVersion version) {
    return version >= kPartitionedContainers || container.definition.partition_key.system_key;
}

}  // namespace orrery::service
