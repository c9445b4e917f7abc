#include "tools/bench/item_numbers.h"

namespace orrery::tools::bench {

void ItemNumbers::settle(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    settled_.push(number);
    std::uint64_t limit = limit_;
    while (!settled_.empty() && settled_.top() == limit) {
        settled_.pop();
        ++limit;
    }
    limit_ = limit;
}

}  // namespace orrery::tools::bench
