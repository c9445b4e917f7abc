#include "http/request_parser.h"

#include <algorithm>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

namespace orrery::http {

namespace beast = boost::beast;

namespace {

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

RequestParser::RequestParser(const Limits& limits, Request& request)
    : limits_(limits), request_(request) {
    header_limit(static_cast<std::uint32_t>(limits.head_bytes_max));
    body_limit(boost::none);  // on_body_impl discards the excess instead
}

RequestParser::Progress RequestParser::parse(std::string_view& input) {
    ErrorCode ec;
    input.remove_prefix(put(boost::asio::const_buffer(input.data(), input.size()), ec));
    if (ec == beast::http::error::header_limit) return Progress::kHeadTooLarge;
    if (ec == beast::http::error::need_more) {
        // Beast does not limit chunk extensions and trailers.
        if (head_complete_ && input.size() > limits_.head_bytes_max) {
            return malformed("chunk header or trailer too large");
        }
        return Progress::kNeedMore;
    }
    if (ec) return malformed(ec.message());
    if (head_complete_) return is_done() ? Progress::kComplete : Progress::kNeedMore;
    if (!is_header_done()) return Progress::kNeedMore;
    // Otherwise the body of such a request would be parsed as the next request.
    if (encoded_ && !chunked()) return malformed("unsupported transfer encoding");
    if (declared_bytes().value_or(0) > limits_.body_bytes_max) refuse_body();
    head_complete_ = true;
    eager(true);
    return Progress::kHeadComplete;
}

std::optional<std::uint64_t> RequestParser::declared_bytes() const {
    const auto length = content_length();
    return length ? std::optional(*length) : std::nullopt;
}

bool RequestParser::reserve_body(std::string_view input) {
    const std::uint64_t total_max = declared_bytes().value_or(limits_.body_bytes_max);
    const std::uint64_t left = chunked() ? input.size() : total_max - body_bytes_;
    return request_.reserve_body(std::min<std::uint64_t>(input.size(), left), total_max);
}

RequestParser::Progress RequestParser::malformed(std::string reason) {
    reason_ = std::move(reason);
    return Progress::kMalformed;
}

void RequestParser::on_request_impl(beast::http::verb /*verb*/,
                                    StringView method,
                                    StringView target,
                                    int version,
                                    ErrorCode& /*ec*/) {
    request_.set_start_line(view(method), view(target));
    http_1_1_ = version == 11;
}

void RequestParser::on_response_impl(int /*code*/,
                                     StringView /*reason*/,
                                     int /*version*/,
                                     ErrorCode& /*ec*/) {}

void RequestParser::on_field_impl(beast::http::field field,
                                  StringView name,
                                  StringView value,
                                  ErrorCode& ec) {
    if (head_complete_) return;  // trailers are ignored
    request_.add_field(view(name), view(value));
    // Beast's own limit restarts with every call of put().
    if (request_.head_bytes() > limits_.head_bytes_max) ec = beast::http::error::header_limit;
    if (field == beast::http::field::transfer_encoding) {
        encoded_ = true;
    } else if (field == beast::http::field::expect) {
        expects_continue_ = http_1_1_ && beast::iequals(value, "100-continue");
    }
}

void RequestParser::on_header_impl(ErrorCode& /*ec*/) {}

void RequestParser::on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/,
                                      ErrorCode& /*ec*/) {}

std::size_t RequestParser::on_body_impl(StringView bytes, ErrorCode& /*ec*/) {
    body_bytes_ += bytes.size();
    if (body_bytes_ > limits_.body_bytes_max) refuse_body();
    request_.append_body(view(bytes));
    return bytes.size();
}

void RequestParser::refuse_body() {
    request_.body_too_large = true;
    request_.discard_body();
}

void RequestParser::on_chunk_header_impl(std::uint64_t /*size*/,
                                         StringView /*extensions*/,
                                         ErrorCode& /*ec*/) {}

std::size_t RequestParser::on_chunk_body_impl(std::uint64_t /*remain*/,
                                              StringView bytes,
                                              ErrorCode& ec) {
    return on_body_impl(bytes, ec);
}

void RequestParser::on_finish_impl(ErrorCode& /*ec*/) {}

}  // namespace orrery::http
