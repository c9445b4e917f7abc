// Evaluates a container's computed properties. The index does not know SQL, so the implementation
// is passed in.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace orrery::index {

class ComputedProperties {
public:
    ComputedProperties() = default;
    ComputedProperties(const ComputedProperties&) = delete;
    ComputedProperties& operator=(const ComputedProperties&) = delete;
    virtual ~ComputedProperties() = default;

    // The item's value of the policy's computed property `number`: JSON without insignificant
    // whitespace, or nothing when it is undefined. Must be deterministic for an item.
    virtual std::optional<std::string> value_json(std::string_view item_json,
                                                  std::size_t number) const = 0;
};

}  // namespace orrery::index
