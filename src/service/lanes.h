// The threads that run requests, by class of work, so that no class can hold up another. Requests
// that need neither the disk nor much time stay on their connection's thread; scripts, the writes
// of partitions and background work have threads of their own.

#pragma once

#include <cstddef>

#include "base/paced_pool.h"
#include "base/thread_pool.h"

namespace orrery::service {

// Zero chooses by the number of cores.
struct LaneOptions {
    std::size_t control_threads = 0;
    std::size_t item_threads = 0;
    std::size_t query_threads = 0;
    std::size_t long_query_threads = 0;
    std::size_t queue_max = 1024;  // requests that wait in each lane
};

struct Lanes {
    explicit Lanes(const LaneOptions& options);

    ThreadPool control;  // databases, containers, scripts, offers
    ThreadPool items;    // batches, large items, and whatever may wait for the disk
    PacedPool queries;   // queries and feeds
    ThreadPool monitoring{ThreadPool::Options{.threads = 1, .queue_max = 8}};  // metrics
};

// One thread per core, but at least two: one may be waiting for the disk.
std::size_t default_threads();

}  // namespace orrery::service
