#include "server/commands/sizes.h"

#include <array>

#include <fmt/format.h>

namespace orrery::server {

std::string size_text(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> kUnits{"bytes", "KB", "MB", "GB", "TB"};
    if (bytes < 1024) return fmt::format("{} bytes", bytes);
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit)
        value /= 1024;
    return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string extent_text(const std::string& name, const partition::Extent& extent) {
    return fmt::format("{:<28} {:>12} keys {:>12}", name, extent.entries, size_text(extent.bytes));
}

json::Value extent_json(const partition::Extent& extent) {
    json::Value out(json::Value::Object{});
    out.set("keys", json::Value(static_cast<std::int64_t>(extent.entries)));
    out.set("bytes", json::Value(static_cast<std::int64_t>(extent.bytes)));
    return out;
}

}  // namespace orrery::server
