#include "service/lanes.h"

#include <algorithm>
#include <thread>

namespace orrery::service {

namespace {

std::size_t or_default(std::size_t threads) { return threads > 0 ? threads : default_threads(); }

}  // namespace

std::size_t default_threads() {
    constexpr unsigned kMin = 2;
    return std::max(std::thread::hardware_concurrency(), kMin);
}

Lanes::Lanes(const LaneOptions& options)
    : control(ThreadPool::Options{.threads = or_default(options.control_threads),
                                  .queue_max = options.queue_max}),
      items(ThreadPool::Options{.threads = or_default(options.item_threads),
                                .queue_max = options.queue_max}),
      queries(PacedPool::Options{.fast = or_default(options.query_threads),
                                 .slow = or_default(options.long_query_threads),
                                 .queue_max = options.queue_max}) {}

}  // namespace orrery::service
