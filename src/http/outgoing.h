// A response on its way to the client: its head and body as one gather write, and how much of it is
// still to be written.

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>

#include "http/message.h"
#include "http/response_head.h"
#include "http/transport.h"

namespace orrery::http {

class Outgoing {
public:
    // Set it, from any thread, before start().
    std::optional<Response> response;

    // Completes `facts` from the response.
    void start(HeadFacts facts, bool to_head_request);
    // "100 Continue", before the response.
    void start_interim();
    // A piece of a stream, after the head of its response.
    void start_piece(std::string piece);

    // kDone when everything is written.
    IoResult write(Transport& transport, std::span<char> scratch);
    std::size_t bytes_left() const;
    // The memory of the response, which is freed only at the end.
    std::size_t bytes_held() const;
    void clear();

private:
    using Piece = boost::asio::const_buffer;

    ResponseHead head_;
    std::string streamed_;
    std::array<Piece, 3> pieces_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

}  // namespace orrery::http
