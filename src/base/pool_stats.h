// What a pool of threads is doing and has done.

#pragma once

#include <cstddef>
#include <cstdint>

namespace orrery {

struct PoolStats {
    std::size_t threads = 0;    // that may run work at the same time
    std::size_t queued = 0;     // work that waits for a thread
    std::size_t queue_max = 0;  // above it, work is refused
    std::size_t running = 0;
    // Since the start of the pool.
    std::uint64_t started = 0;
    std::uint64_t refused = 0;
};

}  // namespace orrery
