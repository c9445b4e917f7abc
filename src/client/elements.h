// The elements of a page: those of the first array in an object, such as "Documents".

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::client {

class Elements {
public:
    // Names that algorithms and tests expect of a container.
    using value_type = std::string_view;                                   // NOLINT
    using const_iterator = std::vector<std::string_view>::const_iterator;  // NOLINT

    // Validates all of the text in one pass. kInternal if it is not an object.
    static Result<Elements> of(std::string_view page);

    // Minified JSON texts, mostly slices of the page.
    const_iterator begin() const { return texts_.begin(); }
    const_iterator end() const { return texts_.end(); }
    std::size_t size() const { return texts_.size(); }
    bool empty() const { return texts_.empty(); }
    std::string_view operator[](std::size_t index) const { return texts_[index]; }

private:
    std::shared_ptr<const std::string> minified_;  // of a page with whitespace
    std::vector<std::string_view> texts_;
};

}  // namespace orrery::client
