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

struct Checker {
    void begin(Kind /*kind*/, std::size_t /*at*/) {}
    void end(Kind /*kind*/, std::size_t /*after*/) {}
    void key(std::string_view /*raw*/, std::size_t /*at*/) {}
    void scalar(Kind /*kind*/, std::string_view /*raw*/, std::size_t /*at*/) {}
    void duplicates() { checked.duplicates = true; }

    Checked checked;
};

}  // namespace

Result<Checked> check(std::string_view text, int depth_max) {
    Checker checker;
    TRY(scan(text, checker, depth_max));
    return checker.checked;
}

bool MemberNames::end_object() {
    const auto first = names_.begin() + static_cast<std::ptrdiff_t>(starts_.back());
    const auto count = names_.end() - first;
    bool duplicates = false;
    constexpr std::ptrdiff_t kFew = 16;  // comparing all pairs beats sorting up to about here
    if (count <= kFew) {
        for (auto a = first; a != names_.end() && !duplicates; ++a) {
            duplicates = std::any_of(first, a, [&](auto b) { return same_name(*a, b); });
        }
    } else {
        std::vector<std::string> sorted;
        sorted.reserve(static_cast<std::size_t>(count));
        std::transform(first, names_.end(), std::back_inserter(sorted), unquote);
        std::sort(sorted.begin(), sorted.end());
        duplicates = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    }
    names_.erase(first, names_.end());
    starts_.pop_back();
    return duplicates;
}

}  // namespace orrery::json
