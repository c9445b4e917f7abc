#include "http/request.h"

#include <algorithm>
#include <utility>

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
    for (const Field& field : fields_) {
        if (equal_ignoring_case(text(field.name), name)) return text(field.value);
    }
    return std::nullopt;
}

void Request::set_start_line(std::string_view method, std::string_view target) {
    method_ = append(method);
    target_ = append(target);
}

void Request::add_field(std::string_view name, std::string_view value) {
    const Piece name_piece = append(name);
    fields_.push_back({name_piece, append(value)});
}

void Request::append_body(std::string_view bytes) {
    if (make_room(body.size() + bytes.size())) {
        body.append(bytes);
    } else {
        drop_body();
        body_over_budget = true;
    }
}

bool Request::make_room(std::size_t body_bytes) {
    if (body_bytes <= body.capacity()) return true;
    const std::size_t wanted = std::max(body_bytes, 2 * body.capacity());
    if (wanted > kUncountedBodyBytes) {
        if (!budget_.take(wanted - body_bytes_taken_)) return false;
        body_bytes_taken_ = wanted;
    }
    body.reserve(wanted);
    return true;
}

void Request::drop_body() {
    body.clear();
    // shrink_to_fit() frees the memory; assigning an empty string would not.
    if (body.capacity() > kUncountedBodyBytes) body.shrink_to_fit();
    if (body_bytes_taken_ > 0) budget_.give_back(std::exchange(body_bytes_taken_, 0));
}

void Request::clear() {
    head_.clear();
    fields_.clear();
    method_ = {};
    target_ = {};
    drop_body();
    body_too_large = false;
    body_over_budget = false;
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
