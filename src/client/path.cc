#include "client/path.h"

#include "base/percent.h"

namespace orrery::client {

Path::Path(std::initializer_list<std::string_view> segments) {
    for (const std::string_view segment : segments) {
        add(segment);
    }
}

Path Path::operator/(std::string_view segment) const {
    Path out = *this;
    out.add(segment);
    return out;
}

void Path::add(std::string_view segment) {
    if (segments_ > 0) target_ += '/';
    target_ += percent_encode(segment);
    const bool names_kind = segments_++ % 2 == 0;
    if (names_kind) {
        type_ = segment;
        link_ = plain_;
    }
    if (!plain_.empty()) plain_ += '/';
    plain_ += segment;
    if (!names_kind) link_ = plain_;
}

}  // namespace orrery::client
