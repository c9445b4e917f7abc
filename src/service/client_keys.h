// The client encryption keys of a database: create, read, list, replace. Changes commit to the
// catalog's store: call only where blocking is allowed.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "service/context.h"
#include "service/page.h"
#include "service/resource_answer.h"
#include "service/resource_feed.h"

namespace orrery::service {

class ClientKeys {
public:
    ClientKeys(catalog::Catalog& catalog, const ResourceFeed& feed)
        : catalog_(catalog), feed_(feed) {}

    // 404/1003 if the database is missing.
    Result<ResourceAnswer> create(Context& context,
                                  std::string_view database,
                                  std::string_view body);
    // By id, or by rid if the database is named by its rid.
    struct Address {
        std::string_view database;
        std::string_view key;
    };
    Result<ResourceAnswer> read(const Context& context, const Address& address);
    // The id cannot change.
    Result<ResourceAnswer> replace(Context& context, const Address& address, std::string_view body);
    struct List {
        std::string database_rid;
        Page page;
    };
    Result<List> list(Context& context, std::string_view database, const QueryText* query);

private:
    Result<catalog::ClientKeyPtr> find(const Address& address) const;

    catalog::Catalog& catalog_;
    const ResourceFeed& feed_;
};

}  // namespace orrery::service
