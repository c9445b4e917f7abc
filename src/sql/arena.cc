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
    return allocate_slowly(bytes);
}

// Blocks have maximum alignment, so a fresh one needs no adjustment.
void* Arena::allocate_slowly(std::size_t bytes) {
    while (current_ + 1 < blocks_.size()) {
        ++current_;
        if (bytes <= blocks_[current_].size) {
            at_ = bytes;
            return blocks_[current_].bytes.get();
        }
    }
    const std::size_t size = std::max(kBlockBytes, bytes);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    blocks_bytes_ += size;
    charge(size);
    current_ = blocks_.size() - 1;
    at_ = bytes;
    return blocks_.back().bytes.get();
}

void Arena::reset() {
    if (blocks_bytes_ > kKeptBytes) {
        keep_blocks(blocks_.front().size > kKeptBytes ? 0 : 1);
    }
    if (charged_ > blocks_bytes_) discharge(charged_ - blocks_bytes_);
    current_ = 0;
    at_ = 0;
    used_ = 0;
}

void Arena::keep_blocks(std::size_t count) {
    blocks_.resize(count);
    blocks_bytes_ = 0;
    for (const Block& block : blocks_) {
        blocks_bytes_ += block.size;
    }
}

void Arena::discharge(std::size_t bytes) {
    charged_ -= bytes;
    if (budget_ != nullptr) budget_->give(bytes);
}

void Arena::detach() {
    discharge(charged_);
    budget_ = nullptr;
}

}  // namespace orrery::sql
