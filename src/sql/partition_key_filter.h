// Which partition keys the items selected by a query can have, as far as WHERE tells: no other
// partition need be queried.

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/container_definition.h"
#include "model/partition_key.h"
#include "sql/ast.h"
#include "sql/value.h"

namespace orrery::sql {

// The value of an expression that depends only on parameters, else nothing. Values must live as
// long as the function.
using Fold = std::function<std::optional<Value>(const ast::Expression&)>;

struct PartitionKeyFilter {
    // Any key is possible. Otherwise one of `keys`: whole keys or, for a hierarchical key, the
    // first components. They are distinct, and none is a prefix of another. Without keys no item
    // can be selected.
    bool all = true;
    std::vector<model::PartitionKeyValue> keys;
};

// Never omits a key that the query could select; conditions it does not understand restrict
// nothing. Without FROM no items are read, so there are no keys.
PartitionKeyFilter partition_key_filter(const ast::Query& query,
                                        const model::PartitionKeyDefinition& definition,
                                        const Fold& fold);

// A range of the hash space as in query plans. Bytes, not hex. A point ends where it starts,
// inclusively.
struct QueryRange {
    std::string min_inclusive;
    std::string max;
    bool max_inclusive = false;

    bool is_point() const { return max_inclusive && min_inclusive == max; }
    bool operator==(const QueryRange&) const = default;
};

// Ascending and without duplicates. If nothing can be selected, the point "", which every client
// can route.
std::vector<QueryRange> query_ranges(const PartitionKeyFilter& filter,
                                     const model::PartitionKeyDefinition& definition);

// Whether the filter admits exactly one whole key.
bool is_single_key(const PartitionKeyFilter& filter,
                   const model::PartitionKeyDefinition& definition);

}  // namespace orrery::sql
