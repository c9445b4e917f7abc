#include "http/response_head.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <boost/beast/http/status.hpp>

#include "base/check.h"

namespace orrery::http {

namespace {

std::string_view reason_phrase(unsigned status) {
    const auto known = boost::beast::http::int_to_status(status);
    if (known == boost::beast::http::status::unknown) return {};
    const auto phrase = boost::beast::http::obsolete_reason(known);
    return {phrase.data(), phrase.size()};
}

}  // namespace

bool has_no_body(unsigned status) { return status < 200 || status == 204 || status == 304; }

void ResponseHead::write(const HeadFacts& facts) {
    size_ = 0;
    append("HTTP/1.1 ");
    append(std::size_t{facts.status});
    append(" ");
    append(reason_phrase(facts.status));
    append("\r\nDate: ");
    append(facts.date);
    if (!facts.is_stream && !has_no_body(facts.status)) {
        append("\r\nContent-Length: ");
        append(facts.content_length);
    }
    if (facts.close) {
        append("\r\nConnection: close");
    } else if (facts.announce_keep_alive) {
        append("\r\nConnection: keep-alive");
    }
    append("\r\n");
}

void ResponseHead::append(std::string_view text) {
    CHECK(size_ + text.size() <= bytes_.size());
    std::copy(text.begin(), text.end(), bytes_.data() + size_);
    size_ += text.size();
}

void ResponseHead::append(std::size_t number) {
    char* const end = bytes_.data() + bytes_.size();
    const auto written = std::to_chars(bytes_.data() + size_, end, number);
    CHECK(written.ec == std::errc{});
    size_ = static_cast<std::size_t>(written.ptr - bytes_.data());
}

}  // namespace orrery::http
