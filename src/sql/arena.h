// Memory for the values of one row (or one page): fast to allocate, freed all at once. It knows the
// budget of its query, so functions that are given an arena count their work with it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "sql/budget.h"

namespace orrery::sql {

class Arena {
public:
    // Without a budget, nothing is counted or limited.
    Arena() = default;
    explicit Arena(Budget& budget) : budget_(&budget) {}
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() { detach(); }

    void* allocate(std::size_t bytes, std::size_t alignment);

    // Uninitialised memory; trivially destructible types only, nothing is destroyed.
    template <typename T>
    std::span<T> array(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        return {static_cast<T*>(allocate(count * sizeof(T), alignof(T))), count};
    }

    std::string_view copy(std::string_view text) {
        char* to = static_cast<char*>(allocate(text.size(), 1));
        if (!text.empty()) std::memcpy(to, text.data(), text.size());
        return {to, text.size()};
    }

    // Frees everything allocated so far. The memory is kept for the next row, except what one big
    // row took beyond kKeptBytes.
    void reset();

    // Frees what was allocated after the mark. The memory is kept.
    struct Mark {
        std::size_t block = 0;
        std::size_t at = 0;
        std::size_t used = 0;
    };
    Mark mark() const { return {current_, at_, used_}; }
    void rewind(const Mark& mark) {
        current_ = mark.block;
        at_ = mark.at;
        used_ = mark.used;
    }

    std::size_t used() const { return used_; }

    // See Budget.
    bool count(std::uint64_t units = 1) { return budget_ == nullptr || budget_->count(units); }
    bool count_bytes(std::size_t bytes) {
        return budget_ == nullptr || budget_->count_bytes(bytes);
    }
    bool count_call() { return budget_ == nullptr || budget_->count_call(); }
    bool has_room(std::size_t bytes) { return budget_ == nullptr || budget_->has_room(bytes); }
    bool is_stopped() const { return budget_ != nullptr && budget_->is_stopped(); }
    // Counts memory that was allocated elsewhere and lives as long as what is in here.
    void charge(std::size_t bytes) {
        charged_ += bytes;
        if (budget_ != nullptr) budget_->take(bytes);
    }
    // Ends the use of the budget, for values that outlive it.
    void detach();

private:
    static constexpr std::size_t kBlockBytes = 16 * 1024;
    static constexpr std::size_t kKeptBytes = 1024 * 1024;

    struct Block {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size;
    };

    void* allocate_slowly(std::size_t bytes);
    void keep_blocks(std::size_t count);
    void discharge(std::size_t bytes);

    Budget* budget_ = nullptr;
    std::vector<Block> blocks_;
    std::size_t blocks_bytes_ = 0;
    std::size_t current_ = 0;  // the block being filled
    std::size_t at_ = 0;       // offset into it
    std::size_t used_ = 0;
    std::size_t charged_ = 0;  // to the budget, the blocks included
};

}  // namespace orrery::sql
