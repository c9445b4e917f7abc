#include "sql/arena.h"

#include <algorithm>

namespace orrery::sql {

void* Arena::allocate(std::size_t bytes, std::size_t alignment) {
    used_ += bytes;
    if (current_ < blocks_.size()) {
        const std::size_t from = (at_ + alignment - 1) & ~(alignment - 1);
        if (from + bytes <= blocks_[current_].size) {
            at_ = from + bytes;
            return blocks_[current_].bytes.get() + from;
        }
    }
    return allocate_slowly(bytes, alignment);
}

void* Arena::allocate_slowly(std::size_t bytes, std::size_t alignment) {
    // Blocks have maximum alignment, so a fresh one needs no adjustment.
    static_cast<void>(alignment);
    while (current_ + 1 < blocks_.size()) {
        ++current_;
        if (bytes <= blocks_[current_].size) {
            at_ = bytes;
            return blocks_[current_].bytes.get();
        }
    }
    const std::size_t size = std::max(kBlockBytes, bytes);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    current_ = blocks_.size() - 1;
    at_ = bytes;
    return blocks_.back().bytes.get();
}

void Arena::reset() {
    if (used_ > kKeptBytes) blocks_.resize(std::min<std::size_t>(blocks_.size(), 1));
    if (!blocks_.empty() && blocks_.front().size > kKeptBytes) blocks_.clear();
    current_ = 0;
    at_ = 0;
    used_ = 0;
}

}  // namespace orrery::sql
