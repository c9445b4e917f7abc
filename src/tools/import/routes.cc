#include "tools/import/routes.h"

#include <algorithm>

#include "client/pages.h"
#include "model/effective_partition_key.h"

namespace orrery::tools {

Status Routes::refresh(client::Client& client) {
    std::vector<Range> ranges;
    for (const client::Range& range : TRY(client::read_ranges(client, container_))) {
        auto until = model::parse_epk(range.max_exclusive);
        if (!until) return Error(ErrorCode::kInternal, "the server's partition key ranges are odd");
        ranges.push_back({.until = *std::move(until), .id = range.id});
    }
    if (ranges.empty()) return Error(ErrorCode::kInternal, "the container has no ranges");
    std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
        return a.until < b.until;
    });
    const std::lock_guard lock(mutex_);
    ranges_ = std::move(ranges);
    return {};
}

std::string Routes::range_of(std::string_view epk) const {
    const std::lock_guard lock(mutex_);
    auto found = std::upper_bound(
        ranges_.begin(), ranges_.end(), epk, [](std::string_view wanted, const Range& range) {
            return wanted < range.until;
        });
    // The last one has everything that is above.
    if (found == ranges_.end()) --found;
    return found->id;
}

}  // namespace orrery::tools
