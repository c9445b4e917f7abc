// One page of a feed, as every feed answers it.

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

// How many elements a page may have, from x-ms-max-item-count: absent and 0 take the default, -1
// has no limit but the page's size in bytes.
Result<std::size_t> page_size(const Request& request,
                              std::size_t otherwise = model::limits::kPageItemsDefault);

}  // namespace orrery::service
