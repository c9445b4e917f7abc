// The part of a response head that the connection writes: status line, Date, Content-Length and
// Connection. It fits into a fixed buffer and precedes the handler's headers.

#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace orrery::http {

// Whether responses with this status end with their head: 1xx, 204 and 304.
bool has_no_body(unsigned status);

struct HeadFacts {
    unsigned status = 200;
    std::string_view date;
    std::size_t content_length = 0;
    bool is_stream = false;  // has no length: the body ends with the connection
    bool close = false;
    // HTTP/1.0 clients must be told that the connection stays open.
    bool announce_keep_alive = false;
};

class ResponseHead {
public:
    // Everything but the handler's headers and the empty line that ends the head.
    void write(const HeadFacts& facts);
    std::string_view text() const { return {bytes_.data(), size_}; }

private:
    void append(std::string_view text);
    void append(std::size_t number);

    static constexpr std::size_t kBytesMax = 192;

    std::array<char, kBytesMax> bytes_;
    std::size_t size_ = 0;
};

}  // namespace orrery::http
