#include "http/request.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace orrery::http {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] != b[i] && lower(a[i]) != lower(b[i])) return false;
    }
    return true;
}

}  // namespace

std::optional<std::string_view> Request::header(std::string_view name) const {
    if ((name_sizes_ & size_bit(name)) == 0) return std::nullopt;
    for (const Field& field : fields_) {
        if (equal_ignoring_case(text(field.name), name)) return text(field.value);
    }
    return std::nullopt;
}

void Request::for_each_header(
    const std::function<void(std::string_view name, std::string_view value)>& visit) const {
    for (const Field& field : fields_)
        visit(text(field.name), text(field.value));
}

void Request::set_start_line(std::string_view method, std::string_view target) {
    method_ = append(method);
    target_ = append(target);
}

void Request::add_field(std::string_view name, std::string_view value) {
    name_sizes_ |= size_bit(name);
    const Piece name_piece = append(name);
    fields_.push_back({name_piece, append(value)});
}

bool Request::reserve_body(std::size_t more, std::size_t total_max) {
    const std::size_t needed = body.size() + more;
    if (discards_body_ || needed <= body.capacity()) return true;
    const std::size_t wanted = std::max(needed, std::min(2 * body.capacity(), total_max));
    if (wanted > kUncountedBodyBytes && !body_memory_.grow_to(wanted)) return false;
    // A new string: reserve() on the old one may allocate more than is counted.
    std::string larger;
    larger.reserve(wanted);
    larger.append(body);
    body = std::move(larger);
    return true;
}

void Request::append_body(std::string_view bytes) {
    if (discards_body_) return;
    CHECK(body.size() + bytes.size() <= body.capacity());
    body.append(bytes);
}

void Request::discard_body() {
    discards_body_ = true;
    free_body();
}

void Request::free_body() {
    body.clear();
    // shrink_to_fit() frees the memory; assigning an empty string would not.
    if (body.capacity() > kUncountedBodyBytes) body.shrink_to_fit();
    body_memory_.release();
}

void Request::clear() {
    head_.clear();
    fields_.clear();
    name_sizes_ = 0;
    method_ = {};
    target_ = {};
    free_body();
    body_too_large = false;
    discards_body_ = false;
}

void Request::release() {
    clear();
    body.shrink_to_fit();
    head_.shrink_to_fit();
    fields_.shrink_to_fit();
}

Request::Piece Request::append(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(head_.size());
    head_.append(text);
    return {at, static_cast<std::uint32_t>(text.size())};
}

}  // namespace orrery::http
