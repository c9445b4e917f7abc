// A query that selects changes: it is run over each changed item by itself.

#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "catalog/resources.h"
#include "partition/changes.h"
#include "service/query_page.h"
#include "sql/bound.h"
#include "sql/evaluator.h"

namespace orrery::service {

// Use from one thread at a time.
class ChangeFilter {
public:
    // kBadRequest if the query is not valid, or does more than look at one item at a time: sorts,
    // aggregates, removes duplicates, counts rows or calls UDFs.
    static Result<ChangeFilter> parse(const QueryText& text,
                                      const catalog::Container& container,
                                      const Clock& clock);

    // Prints the rows that the query makes of a change. The filter must outlive it.
    partition::ChangePrinter printer() const;

private:
    ChangeFilter(sql::Prepared prepared, const sql::Surroundings& surroundings)
        : prepared_(std::move(prepared)), surroundings_(surroundings) {}

    sql::Prepared prepared_;
    sql::Surroundings surroundings_;
};

}  // namespace orrery::service
