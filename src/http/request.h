// A request as it stands in the memory of its connection: one buffer for the head, views into it,
// and the body. It is cleared and used again, so that a busy connection allocates nothing for it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/body_budget.h"

namespace orrery::http {

class Request {
public:
    // The budget must outlive the request.
    explicit Request(BodyBudget& budget) : budget_(budget) {}
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request() { drop_body(); }

    std::string_view method() const { return text(method_); }
    std::string_view target() const { return text(target_); }
    bool is_head() const { return method() == "HEAD"; }
    // Names compare case-insensitively; the first of several is taken.
    std::optional<std::string_view> header(std::string_view name) const;

    // Approximately what the client sent for the head, for limits.
    std::size_t head_bytes() const { return head_.size() + fields_.size() * kFieldOverhead; }

    void set_start_line(std::string_view method, std::string_view target);
    void add_field(std::string_view name, std::string_view value);

    // Memory is taken from the budget as it is needed; a body that gets none is dropped.
    void append_body(std::string_view bytes);
    void drop_body();

    // Forgets the request but keeps its memory for the next one.
    void clear();
    // Gives the memory back as well.
    void release();

    std::string body;
    bool body_too_large = false;
    bool body_over_budget = false;

private:
    static constexpr std::size_t kFieldOverhead = 4;  // ": " and the line end
    // Smaller bodies are not worth the count: connections are limited, too.
    static constexpr std::size_t kUncountedBodyBytes = 4096;

    struct Piece {
        std::uint32_t at = 0;
        std::uint32_t size = 0;
    };
    struct Field {
        Piece name;
        Piece value;
    };

    std::string_view text(Piece piece) const { return {head_.data() + piece.at, piece.size}; }
    Piece append(std::string_view text);
    bool make_room(std::size_t body_bytes);

    std::string head_;
    std::vector<Field> fields_;
    Piece method_;
    Piece target_;
    BodyBudget& budget_;
    std::size_t body_bytes_taken_ = 0;  // from the budget
};

}  // namespace orrery::http
