// GROUP BY and aggregates: gathers rows into groups, then gives the output row of each group.

#pragma once

#include <map>
#include <string>
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

    // Takes the evaluator's current row in. Fails the evaluator when there are too many groups.
    void add();

    // Takes in so many rows of which only the number matters; without GROUP BY and for aggregates
    // of constants only.
    void add_rows(std::uint64_t count);

    struct Group {
        std::vector<Value> keys;
        std::vector<Accumulator> accumulators;
    };
    // By their keys' bytes, which is the order of the keys.
    using Groups = std::map<std::string, Group>;
    const Groups& groups() const { return groups_; }

    // Makes the evaluator's row that of the group, so that the output can be evaluated; good until
    // the next call.
    void enter(const Group& group);
    void leave();

private:
    const BoundQuery& query_;
    Evaluator& evaluator_;
    Arena kept_;
    Groups groups_;
    std::string key_;
    std::vector<Value> results_;
};

}  // namespace orrery::sql
