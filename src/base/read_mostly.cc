#include "base/read_mostly.h"

#include <atomic>

namespace orrery {

std::size_t read_slot() {
    static std::atomic<std::size_t> threads = 0;
    thread_local const std::size_t kSlot =
        threads.fetch_add(1, std::memory_order_relaxed) % kReadSlots;
    return kSlot;
}

}  // namespace orrery
