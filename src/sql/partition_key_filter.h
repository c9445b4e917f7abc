// Which partition keys an item must have for a query to select it, as far as WHERE says so: the
// query need not look at any other partition.

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

// The value of an expression that depends on nothing but parameters, else nothing. Values must live
// as long as the function does.
using Fold = std::function<std::optional<Value>(const ast::Expression&)>;

struct PartitionKeyFilter {
    // Any key will do. Otherwise one of `keys`: whole keys or, of a hierarchical key, the first
    // components. They differ, and none is the beginning of another. No keys at all: no item can be
    // selected.
    bool all = true;
    std::vector<model::PartitionKeyValue> keys;
};

// Never leaves out a key that the query could select; what it does not understand restricts
// nothing. Without FROM no items are looked at, so that there are no keys.
PartitionKeyFilter partition_key_filter(const ast::Query& query,
                                        const model::PartitionKeyDefinition& definition,
                                        const Fold& fold);

// A piece of the hash space as query plans name it. Bytes, not hex. A point has the same end as
// start, and includes it.
struct QueryRange {
    std::string min_inclusive;
    std::string max;
    bool max_inclusive = false;

    bool is_point() const { return max_inclusive && min_inclusive == max; }
    bool operator==(const QueryRange&) const = default;
};

// Rising and without duplicates. Nothing to be selected is the point "", which every client can
// route.
std::vector<QueryRange> query_ranges(const PartitionKeyFilter& filter,
                                     const model::PartitionKeyDefinition& definition);

// Whether the filter leaves exactly one whole key.
bool is_single_key(const PartitionKeyFilter& filter,
                   const model::PartitionKeyDefinition& definition);

}  // namespace orrery::sql
