#include "sql/grouping.h"

#include "model/limits.h"
#include "sql/canonical.h"

namespace orrery::sql {

Grouping::Grouping(const BoundQuery& query, Evaluator& evaluator)
    : query_(query), evaluator_(evaluator) {
    // Aggregates without GROUP BY form one group even when there are no rows.
    if (!query.group_keys.empty()) return;
    Group& all = groups_[""];
    for (const BoundAggregate& aggregate : query.aggregates) {
        all.accumulators.emplace_back(aggregate.kind);
    }
}

void Grouping::add() {
    key_.clear();
    std::vector<Value> keys;
    for (const BoundPtr& key : query_.group_keys) {
        keys.push_back(evaluator_.evaluate(*key));
        append_canonical(key_, keys.back(), evaluator_.arena());
    }
    const auto [place, is_new] = groups_.try_emplace(key_);
    Group& group = place->second;
    if (is_new) {
        if (groups_.size() > model::limits::kQueryGroupsMax) {
            evaluator_.fail(Error(ErrorCode::kBadRequest,
                                  "The query has more groups than the limit of " +
                                      std::to_string(model::limits::kQueryGroupsMax) + "."));
        }
        for (const Value& key : keys) {
            group.keys.push_back(copy(key, kept_));
        }
        for (const BoundAggregate& aggregate : query_.aggregates) {
            group.accumulators.emplace_back(aggregate.kind);
        }
    }
    for (std::size_t i = 0; i < group.accumulators.size(); ++i) {
        group.accumulators[i].add(
            evaluator_.evaluate(*query_.aggregates[i].argument), evaluator_.arena(), kept_);
    }
    if (kept_.used() > model::limits::kQueryMemoryBytesMax) {
        evaluator_.fail(
            Error(ErrorCode::kBadRequest, "The groups of the query exceed the memory limit."));
    }
}

void Grouping::add_rows(std::uint64_t count) {
    Group& all = groups_.at("");
    for (std::size_t i = 0; i < all.accumulators.size(); ++i) {
        all.accumulators[i].count(evaluator_.evaluate(*query_.aggregates[i].argument), count);
    }
}

void Grouping::enter(const Group& group) {
    results_.clear();
    for (const Accumulator& accumulator : group.accumulators) {
        results_.push_back(accumulator.result(evaluator_.arena()));
    }
    evaluator_.group_keys = group.keys;
    evaluator_.aggregates = results_;
}

void Grouping::leave() {
    evaluator_.group_keys = {};
    evaluator_.aggregates = {};
}

}  // namespace orrery::sql
