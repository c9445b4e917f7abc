// Parses bytes into a Request with Beast's incremental parser. One parser per request.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/beast/http/basic_parser.hpp>

#include "http/request.h"
#include "http/server.h"

namespace orrery::http {

class RequestParser final : private boost::beast::http::basic_parser<true> {
public:
    enum class Progress : std::uint8_t {
        kNeedMore,      // call again with the unparsed rest and more bytes
        kHeadComplete,  // returned once; the body follows unless complete()
        kComplete,
        kMalformed,  // see reason()
        kHeadTooLarge,
    };

    // Both must outlive the parser. `request` must be clear.
    RequestParser(const Limits& limits, Request& request);

    // Removes the parsed bytes from the front of `input`. Stops at the end of the request: the rest
    // belongs to the next one.
    Progress parse(std::string_view& input);

    // The rest is valid after kHeadComplete.
    bool complete() const { return is_done(); }
    bool is_http_1_1() const { return http_1_1_; }
    bool keeps_alive() const { return keep_alive(); }
    bool expects_continue() const { return expects_continue_; }
    // The length of the body if it was declared; a chunked body has none.
    std::optional<std::uint64_t> declared_bytes() const;
    // Body bytes seen so far, kept or discarded.
    std::uint64_t body_bytes() const { return body_bytes_; }
    // Reserves memory for the body bytes in `input`; false if the budget for bodies has too little.
    // Call before parse().
    bool reserve_body(std::string_view input);

    const std::string& reason() const { return reason_; }

private:
    using StringView = boost::beast::string_view;
    using ErrorCode = boost::beast::error_code;

    void on_request_impl(boost::beast::http::verb verb,
                         StringView method,
                         StringView target,
                         int version,
                         ErrorCode& ec) override;
    void on_response_impl(int code, StringView reason, int version, ErrorCode& ec) override;
    void on_field_impl(boost::beast::http::field field,
                       StringView name,
                       StringView value,
                       ErrorCode& ec) override;
    void on_header_impl(ErrorCode& ec) override;
    void on_body_init_impl(const boost::optional<std::uint64_t>& length, ErrorCode& ec) override;
    std::size_t on_body_impl(StringView bytes, ErrorCode& ec) override;
    void on_chunk_header_impl(std::uint64_t size, StringView extensions, ErrorCode& ec) override;
    std::size_t on_chunk_body_impl(std::uint64_t remain, StringView bytes, ErrorCode& ec) override;
    void on_finish_impl(ErrorCode& ec) override;

    Progress malformed(std::string reason);
    void refuse_body();

    const Limits& limits_;
    Request& request_;
    std::uint64_t body_bytes_ = 0;
    std::string reason_;
    bool http_1_1_ = false;
    bool head_complete_ = false;
    bool expects_continue_ = false;
    bool encoded_ = false;
};

}  // namespace orrery::http
