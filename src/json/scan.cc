#include "json/scan.h"

#include <algorithm>

namespace orrery::json {

namespace {

// Equal names can differ in spelling only when escapes are involved: "a" is also "\u0061".
bool same_name(std::string_view a, std::string_view b) {
    if (a == b) return true;
    if (a.find('\\') == std::string_view::npos && b.find('\\') == std::string_view::npos) {
        return false;
    }
    return unquote(a) == unquote(b);
}

struct Onlooker {
    void begin(Kind /*kind*/, std::size_t /*at*/) {}
    void end(Kind /*kind*/, std::size_t /*after*/) {}
    void key(std::string_view /*raw*/, std::size_t /*at*/) {}
    void scalar(Kind /*kind*/, std::string_view /*raw*/, std::size_t /*at*/) {}
};

}  // namespace

Status check(std::string_view text, int depth_max) {
    Onlooker nobody;
    return scan(text, nobody, depth_max);
}

std::optional<std::string> MemberNames::end_object() {
    const auto first = names_.begin() + static_cast<std::ptrdiff_t>(starts_.back());
    const auto count = names_.end() - first;
    std::optional<std::string> twice;
    constexpr std::ptrdiff_t kFew = 16;  // comparing all pairs beats sorting up to about here
    if (count <= kFew) {
        for (auto a = first; a != names_.end() && !twice; ++a) {
            for (auto b = first; b != a && !twice; ++b) {
                if (same_name(*a, *b)) twice = unquote(*a);
            }
        }
    } else {
        std::vector<std::string> sorted;
        sorted.reserve(static_cast<std::size_t>(count));
        std::transform(first, names_.end(), std::back_inserter(sorted), unquote);
        std::sort(sorted.begin(), sorted.end());
        const auto found = std::adjacent_find(sorted.begin(), sorted.end());
        if (found != sorted.end()) twice = *found;
    }
    names_.erase(first, names_.end());
    starts_.pop_back();
    return twice;
}

}  // namespace orrery::json
