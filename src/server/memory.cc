#include "server/memory.h"

#include <algorithm>
#include <fstream>
#include <unistd.h>

namespace orrery::server {

namespace {

constexpr std::uint64_t kCacheMbMin = 64;
constexpr std::uint64_t kCacheMbMax = 1'000'000;

}  // namespace

std::uint64_t usable_memory_bytes(const std::string& control_group) {
    const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
    const auto machine = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
    std::uint64_t limit = 0;
    // Without a limit the file contains "max".
    std::ifstream(control_group + "/memory.max") >> limit;
    return limit == 0 ? machine : std::min(machine, limit);
}

std::uint32_t default_cache_mb(std::uint64_t memory_bytes) {
    const std::uint64_t quarter = memory_bytes / 4 >> 20;
    return static_cast<std::uint32_t>(std::clamp(quarter, kCacheMbMin, kCacheMbMax));
}

}  // namespace orrery::server
