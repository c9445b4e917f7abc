// Memory for the values of one row (or one page): fast to allocate, freed all at once.

#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace orrery::sql {

class Arena {
public:
    Arena() = default;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;
    ~Arena() = default;

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

    std::size_t used() const { return used_; }

private:
    static constexpr std::size_t kBlockBytes = 16 * 1024;
    static constexpr std::size_t kKeptBytes = 1024 * 1024;

    struct Block {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size;
    };

    void* allocate_slowly(std::size_t bytes, std::size_t alignment);

    std::vector<Block> blocks_;
    std::size_t current_ = 0;  // the block being filled
    std::size_t at_ = 0;       // offset into it
    std::size_t used_ = 0;
};

}  // namespace orrery::sql
