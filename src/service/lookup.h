// Finds the database and container a request names, by name or by rid.

#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "service/request.h"

namespace orrery::service {

// Decoded path segments. The database segment decides whether both are names or rids: it is a rid
// if a database has that rid.
struct ContainerAddress {
    std::string_view database;
    std::string_view container;
};

struct FoundDatabase {
    catalog::DatabasePtr database;
    bool by_rid = false;
};

struct FoundContainer {
    catalog::DatabasePtr database;
    catalog::ContainerPtr container;
    bool by_rid = false;
};

Result<FoundDatabase> find_database(const catalog::Catalog& catalog, std::string_view segment);

// 404/1003 if the database is missing, 404 if the container is. Clients older than partitioned
// containers cannot see those. Each thread remembers what it has found until the catalog changes;
// the pointers count references per thread.
Result<FoundContainer> find_container(const catalog::Catalog& catalog,
                                      const ContainerAddress& address,
                                      ApiVersion version);

// Whether a client of that API version can see the container.
bool visible_to(const catalog::Container& container, ApiVersion version);

}  // namespace orrery::service
