#pragma once

#include <cstdint>
#include <string>

namespace orrery::server {

// The memory this process may use: the machine's, or less in a container that limits it.
// `control_group` is the file system of the groups (version 2) as this process sees it.
std::uint64_t usable_memory_bytes(const std::string& control_group = "/sys/fs/cgroup");

// For the cache of a server that has the machine to itself: a quarter of its memory.
std::uint32_t default_cache_mb(std::uint64_t memory_bytes);

}  // namespace orrery::server
