#include "service/item_patch.h"

namespace orrery::service {

Result<ItemPatch> ItemPatch::parse(std::string_view body,
                                   const catalog::ContainerPtr& container,
                                   const Clock& clock) {
    model::Patch patch = TRY(model::parse_patch(body));
    TRY(model::check_patch(patch, container->definition.partition_key));
    std::optional<ItemCondition> condition;
    if (patch.condition) condition = TRY(ItemCondition::parse(*patch.condition, *container, clock));
    return ItemPatch(container, std::move(patch), std::move(condition));
}

Result<model::ItemBody> ItemPatch::apply(std::string_view json) const {
    if (condition_ && !TRY(condition_->holds_for(json))) {
        constexpr std::uint32_t kConditionNotMet = 1110;
        return Error(ErrorCode::kPreconditionFailed,
                     "One of the specified pre-condition is not met. Learn more: "
                     "https://aka.ms/CosmosDB/sql/errors/precondition-failed",
                     kConditionNotMet);
    }
    const std::string patched = TRY(model::apply_patch(patch_, json));
    return model::parse_item_body(patched, container_->item_paths);
}

}  // namespace orrery::service
