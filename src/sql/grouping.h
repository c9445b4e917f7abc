// GROUP BY and aggregates: collects rows into groups, then gives the output row of each group.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sql/aggregates.h"
#include "sql/arena.h"
#include "sql/bound.h"
#include "sql/evaluator.h"

namespace orrery::sql {

class Grouping {
public:
    // Both must outlive it.
    Grouping(const BoundQuery& query, Evaluator& evaluator);

    // Adds the evaluator's current row so many times, or nothing if the evaluator is stopped. Fails
    // the evaluator when there are too many groups.
    void add(std::uint64_t times = 1);

    // The state of aggregates without GROUP BY, for a query that continues on another page. False
    // when it does not fit into a continuation token.
    bool can_save() const;
    std::string save() const;
    // kBadRequest for bytes that save() does not return for this query.
    Status restore(std::string_view saved);

    struct Group {
        std::vector<Value> keys;
        std::vector<Accumulator> accumulators;
    };
    // By the bytes of their keys, which sort as the keys do.
    using Groups = std::map<std::string, Group>;
    const Groups& groups() const { return groups_; }

    // Makes the group the evaluator's current row, so that the output can be evaluated; valid until
    // the next call.
    void enter(const Group& group);
    void leave();

private:
    // That of the row whose keys have been evaluated.
    Group& group_of_row();

    const BoundQuery& query_;
    Evaluator& evaluator_;
    Arena kept_;
    Groups groups_;
    std::string key_;
    std::vector<Value> keys_;       // of the row that is added
    std::vector<Value> arguments_;  // of its aggregates
    std::vector<Value> results_;
};

}  // namespace orrery::sql
