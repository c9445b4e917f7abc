// The simple queries that SDKs send to feeds of databases, containers, offers and scripts: SELECT *
// FROM root r WHERE r.id = @id. Not used for items.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace orrery::service {

class ResourceQuery {
public:
    // Parses the body of a query request: {"query": ..., "parameters": [...]}. Anything beyond
    // `SELECT * FROM x [y] [WHERE x.p = value [AND ...]]` is refused, naming it.
    static Result<ResourceQuery> parse(const json::Value& body);

    bool matches(const json::Value& resource) const;

private:
    struct Condition {
        std::string property;
        json::Value value;
    };

    std::vector<Condition> conditions_;  // all must hold
};

}  // namespace orrery::service
