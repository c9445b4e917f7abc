// A request in its connection's memory: one buffer for the head, views into it, and the body. It is
// cleared and reused, so that a busy connection does not allocate.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/memory_budget.h"

namespace orrery::http {

class Request {
public:
    // The budget for bodies must outlive the request.
    explicit Request(MemoryBudget& bodies) : body_memory_(bodies) {}
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request() = default;

    std::string_view method() const { return text(method_); }
    std::string_view target() const { return text(target_); }
    bool is_head() const { return method() == "HEAD"; }
    // Names are case-insensitive; the first of several wins.
    std::optional<std::string_view> header(std::string_view name) const;

    void for_each_header(
        const std::function<void(std::string_view name, std::string_view value)>& visit) const;

    // Approximate size of the head as sent, for limits.
    std::size_t head_bytes() const { return head_.size() + fields_.size() * kFieldOverhead; }

    void set_start_line(std::string_view method, std::string_view target);
    void add_field(std::string_view name, std::string_view value);

    // Makes room for more bytes of a body of at most `total_max`; false if the budget has too
    // little. Grows in steps: the declared bytes may never arrive.
    bool reserve_body(std::size_t more, std::size_t total_max);
    // The bytes must fit into what is reserved.
    void append_body(std::string_view bytes);
    // Frees the body and ignores the rest of it.
    void discard_body();

    // Resets the request but keeps its memory for the next one.
    void clear();
    // Also frees the memory.
    void release();

    std::string body;
    bool body_too_large = false;

private:
    static constexpr std::size_t kFieldOverhead = 4;  // ": " and the line end
    // Smaller bodies are not counted: the number of connections is limited too.
    static constexpr std::size_t kUncountedBodyBytes = 4096;

    struct Piece {
        std::uint32_t at = 0;
        std::uint32_t size = 0;
    };
    struct Field {
        Piece name;
        Piece value;
    };

    static std::uint64_t size_bit(std::string_view name) {
        return std::uint64_t{1} << name.size() % 64;
    }
    std::string_view text(Piece piece) const { return {head_.data() + piece.at, piece.size}; }
    Piece append(std::string_view text);
    void free_body();

    std::string head_;
    std::vector<Field> fields_;
    // A bit per length of their names: most headers that are looked up are not there.
    std::uint64_t name_sizes_ = 0;
    Piece method_;
    Piece target_;
    MemoryHold body_memory_;
    bool discards_body_ = false;
};

}  // namespace orrery::http
