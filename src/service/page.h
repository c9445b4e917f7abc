// One page of a feed.

#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "model/limits.h"
#include "service/request.h"

namespace orrery::service {

struct Page {
    std::string elements;  // JSON texts, separated by commas
    std::size_t count = 0;
    std::optional<std::string> continuation;
};

// The page size from x-ms-max-item-count: the default if absent or 0; with -1 only the page's size
// in bytes is limited.
Result<std::size_t> page_size(const Request& request,
                              std::size_t otherwise = model::limits::kPageItemsDefault);

}  // namespace orrery::service
