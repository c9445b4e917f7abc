#include "http/outgoing.h"

#include <algorithm>
#include <utility>

namespace orrery::http {

namespace {

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

boost::asio::const_buffer piece_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void Outgoing::start(HeadFacts facts, bool to_head_request) {
    const std::string_view body =
        std::string_view(response->body)
            .substr(std::min(response->body_offset, response->body.size()));
    facts.status = response->status;
    facts.content_length = response->body_begin.size() + body.size();
    facts.is_stream = response->stream != nullptr;
    head_.write(facts);
    response->headers.append("\r\n");
    const bool with_body =
        facts.content_length > 0 && !to_head_request && !has_no_body(response->status);
    if (with_body) response->headers.append(response->body_begin);
    pieces_ = {piece_of(head_.text()), piece_of(response->headers), piece_of(body)};
    begin_ = 0;
    end_ = with_body ? 3 : 2;
}

void Outgoing::start_interim() {
    pieces_[0] = piece_of(kContinue);
    begin_ = 0;
    end_ = 1;
}

void Outgoing::start_piece(std::string piece) {
    response.reset();
    streamed_ = std::move(piece);
    pieces_[0] = piece_of(streamed_);
    begin_ = 0;
    end_ = 1;
}

IoResult Outgoing::write(Transport& transport, std::span<char> scratch) {
    while (begin_ < end_) {
        const IoResult written =
            transport.write(std::span(pieces_).subspan(begin_, end_ - begin_), scratch);
        if (written.kind != IoResult::Kind::kDone) return written;
        std::size_t bytes = written.bytes;
        while (begin_ < end_ && bytes >= pieces_[begin_].size()) {
            bytes -= pieces_[begin_++].size();
        }
        if (begin_ < end_) pieces_[begin_] += bytes;
    }
    return {IoResult::Kind::kDone};
}

std::size_t Outgoing::bytes_left() const {
    std::size_t bytes = 0;
    for (std::size_t i = begin_; i < end_; ++i) {
        bytes += pieces_[i].size();
    }
    return bytes;
}

std::size_t Outgoing::bytes_held() const {
    const std::size_t streamed = streamed_.capacity();
    return response ? response->body.capacity() + response->headers.capacity() : streamed;
}

void Outgoing::clear() {
    response.reset();
    streamed_ = {};
    begin_ = end_ = 0;
}

}  // namespace orrery::http
