#include "service/page.h"

#include <charconv>
#include <cstdint>
#include <limits>

#include "service/errors.h"

namespace orrery::service {

Result<std::size_t> page_size(const Request& request, std::size_t otherwise) {
    if (!request.max_item_count) return otherwise;
    const std::string_view text = *request.max_item_count;
    std::int32_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || end != text.data() + text.size() || count < -1) {
        return bad_request("The input PageSize " + std::string(text.substr(0, 40)) +
                           " is invalid. Ensure to pass a valid page size which must be a positive "
                           "integer or -1 for a dynamic page size.");
    }
    if (count == 0) return otherwise;
    if (count == -1) return std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>(count);
}

}  // namespace orrery::service
