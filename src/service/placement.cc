#include "service/placement.h"

#include <charconv>

namespace orrery::service {

Error elsewhere(storage::PartitionId partition, const std::string& node) {
    return Error(ErrorCode::kElsewhere, "Another node of the cluster serves this partition.")
        .with_info(std::to_string(partition) + (node.empty() ? "" : " " + node));
}

std::optional<ElsewherePlace> parse_elsewhere(std::string_view info) {
    ElsewherePlace out;
    const char* const last = info.data() + info.size();
    const auto [end, error] = std::from_chars(info.data(), last, out.partition);
    if (error != std::errc() || (end != last && *end != ' ')) return std::nullopt;
    if (end != last) out.node.assign(end + 1, last);
    return out;
}

}  // namespace orrery::service
