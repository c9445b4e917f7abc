#include "json/scan.h"

#include <algorithm>

namespace orrery::json {

namespace {

bool has_escapes(std::string_view quoted) { return quoted.find('\\') != std::string_view::npos; }

template <typename Iterator>
bool some_are_equal(Iterator first, Iterator last) {
    std::sort(first, last);
    return std::adjacent_find(first, last) != last;
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
    bool duplicates = false;
    constexpr std::ptrdiff_t kFew = 24;  // comparing all pairs beats sorting up to about here
    if (std::any_of(first, names_.end(), has_escapes)) {
        // Equal names may be spelled in different ways: "a" is also "\u0061".
        std::vector<std::string> plain;
        std::transform(first, names_.end(), std::back_inserter(plain), unquote);
        duplicates = some_are_equal(plain.begin(), plain.end());
    } else if (names_.end() - first <= kFew) {
        for (auto a = first; a != names_.end() && !duplicates; ++a) {
            duplicates = std::find(first, a, *a) != a;
        }
    } else {
        duplicates = some_are_equal(first, names_.end());
    }
    names_.erase(first, names_.end());
    starts_.pop_back();
    return duplicates;
}

}  // namespace orrery::json
