// A patch of one item, parsed and ready for the partition's executor.

#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/resources.h"
#include "model/item_body.h"
#include "model/patch.h"
#include "service/item_condition.h"

namespace orrery::service {

// Use from one thread at a time.
class ItemPatch {
public:
    static Result<ItemPatch> parse(std::string_view body,
                                   const catalog::ContainerPtr& container,
                                   const Clock& clock);

    // Returns the patched item. 412/1110 if the condition does not hold.
    Result<model::ItemBody> apply(std::string_view json) const;

    std::size_t size() const { return patch_.operations.size(); }

private:
    ItemPatch(catalog::ContainerPtr container,
              model::Patch patch,
              std::optional<ItemCondition> condition)
        : container_(std::move(container)),
          patch_(std::move(patch)),
          condition_(std::move(condition)) {}

    catalog::ContainerPtr container_;
    model::Patch patch_;
    std::optional<ItemCondition> condition_;
};

}  // namespace orrery::service
