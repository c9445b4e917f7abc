// Data-plane roles as resources: what the resource provider of the service manages. Changes commit
// to the catalog's store: call only where blocking is allowed.

#pragma once

#include <string_view>

#include "base/result.h"
#include "catalog/catalog.h"
#include "json/value.h"
#include "service/context.h"

namespace orrery::service {

class Roles {
public:
    explicit Roles(catalog::Catalog& catalog) : catalog_(catalog) {}

    struct Put {
        json::Value body;
        bool created = false;
    };

    // {"value":[...]}, as the resource provider lists its resources.
    json::Value list_definitions() const;
    json::Value list_assignments() const;
    // 404 if there is none; 400 if the id is not a GUID.
    Result<json::Value> read_definition(std::string_view id) const;
    Result<json::Value> read_assignment(std::string_view id) const;
    Result<Put> put_definition(Context& context, std::string_view id, std::string_view body);
    Result<Put> put_assignment(Context& context, std::string_view id, std::string_view body);
    Status remove_definition(Context& context, std::string_view id);
    Status remove_assignment(Context& context, std::string_view id);

private:
    catalog::Catalog& catalog_;
};

}  // namespace orrery::service
