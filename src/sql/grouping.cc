#include "sql/grouping.h"

#include "base/bytes.h"
#include "model/limits.h"
#include "sql/canonical.h"

namespace orrery::sql {

Grouping::Grouping(const BoundQuery& query, Evaluator& evaluator)
    : query_(query), evaluator_(evaluator), kept_(evaluator.budget()) {
    // Aggregates without GROUP BY form one group even when there are no rows.
    if (!query.group_keys.empty()) return;
    Group& all = groups_[""];
    for (const BoundAggregate& aggregate : query.aggregates) {
        all.accumulators.emplace_back(aggregate.kind);
    }
}

void Grouping::add(std::uint64_t times) {
    key_.clear();
    keys_.clear();
    for (const BoundPtr& key : query_.group_keys) {
        keys_.push_back(evaluator_.evaluate(*key));
        append_canonical(key_, keys_.back(), evaluator_.arena());
    }
    arguments_.clear();
    for (const BoundAggregate& aggregate : query_.aggregates) {
        arguments_.push_back(evaluator_.evaluate(*aggregate.argument));
    }
    if (evaluator_.is_stopped()) return;
    const Budget::Atomic atomic(evaluator_.budget());
    Group& group = group_of_row();
    for (std::size_t i = 0; i < group.accumulators.size(); ++i) {
        group.accumulators[i].add(arguments_[i], times, evaluator_.arena(), kept_);
    }
}

Grouping::Group& Grouping::group_of_row() {
    const auto [place, is_new] = groups_.try_emplace(key_);
    Group& group = place->second;
    if (!is_new) return group;
    if (groups_.size() > model::limits::kQueryGroupsMax) {
        evaluator_.fail(Error(ErrorCode::kBadRequest,
                              "The query has more groups than the limit of " +
                                  std::to_string(model::limits::kQueryGroupsMax) + "."));
    }
    constexpr std::size_t kNodeBytes = 64;  // of the map, besides key and group
    kept_.charge(kNodeBytes + sizeof(Groups::value_type) + key_.size() +
                 keys_.size() * sizeof(Value) + query_.aggregates.size() * sizeof(Accumulator));
    for (const Value& key : keys_) {
        group.keys.push_back(copy(key, kept_));
    }
    for (const BoundAggregate& aggregate : query_.aggregates) {
        group.accumulators.emplace_back(aggregate.kind);
    }
    return group;
}

bool Grouping::can_save() const {
    constexpr std::size_t kSavedBytesMax = 400;
    if (!query_.group_keys.empty() || query_.aggregates.empty()) return false;
    std::size_t bytes = 0;
    for (const Accumulator& accumulator : groups_.begin()->second.accumulators) {
        if (!accumulator.can_save()) return false;
        bytes += accumulator.saved_bytes_max();
    }
    return bytes <= kSavedBytesMax;
}

std::string Grouping::save() const {
    std::string out;
    for (const Accumulator& accumulator : groups_.begin()->second.accumulators) {
        accumulator.save(out);
    }
    return out;
}

Status Grouping::restore(std::string_view saved) {
    ByteReader reader(saved);
    bool known = query_.group_keys.empty();
    if (known) {
        for (Accumulator& accumulator : groups_.begin()->second.accumulators) {
            known = known && accumulator.restore(reader, kept_);
        }
    }
    if (!known || !reader.rest().empty()) {
        return Error(ErrorCode::kBadRequest, "Invalid Continuation Token");
    }
    return {};
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
