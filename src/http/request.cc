#include "http/request.h"

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

void Request::clear() {
    head_.clear();
    fields_.clear();
    method_ = {};
    target_ = {};
    body = {};
    body_too_large = false;
}

void Request::release() {
    clear();
    head_.shrink_to_fit();
    fields_.shrink_to_fit();
}

Request::Piece Request::append(std::string_view text) {
    const auto at = static_cast<std::uint32_t>(head_.size());
    head_.append(text);
    return {at, static_cast<std::uint32_t>(text.size())};
}

}  // namespace orrery::http
