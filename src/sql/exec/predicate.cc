#include "sql/exec/predicate.h"

#include "sql/index_value.h"

namespace orrery::sql {

Predicate::Predicate(const Condition* condition, const DriverContext& context)
    : condition_(condition),
      evaluator_(context.variables, context.surroundings),
      values_(context.paths.size()) {
    evaluator_.paths = values_;
}

bool Predicate::may_hold(std::string_view encoded) {
    if (condition_ == nullptr || condition_->predicate == nullptr) return true;
    evaluator_.arena().reset();
    const auto value = decode(encoded, evaluator_.arena());
    if (!value) return true;
    values_[condition_->number] = *value;
    const bool holds = evaluator_.evaluate(*condition_->predicate).is_true();
    // An error will recur when the item itself is evaluated.
    return holds || evaluator_.take_error().has_value();
}

}  // namespace orrery::sql
