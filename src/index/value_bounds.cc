#include "index/value_bounds.h"

#include <algorithm>

#include "base/check.h"

namespace orrery::index {

namespace {

std::string tag_only(Tag tag) { return {static_cast<char>(tag)}; }

std::string behind(Tag tag) { return {static_cast<char>(static_cast<int>(tag) + 1)}; }

Tag tag_of(std::string_view encoded) {
    CHECK(!encoded.empty());
    return static_cast<Tag>(encoded[0]);
}

ValueBounds comparable_with(std::string_view encoded) {
    const Tag tag = tag_of(encoded);
    const bool boolean = tag == Tag::kFalse || tag == Tag::kTrue;
    return boolean ? of_kinds(Tag::kFalse, Tag::kTrue) : of_kind(tag);
}

// Shared by all strings truncated at the same point: their order is not in the index.
std::string_view known_part(std::string_view encoded) {
    constexpr std::size_t kHashBytes = 16;
    const bool cut = tag_of(encoded) == Tag::kString && !is_exact(encoded);
    return cut ? encoded.substr(0, encoded.size() - kHashBytes) : encoded;
}

// The range above or below a value; for a truncated string it includes all strings that share its
// prefix.
ValueBounds compared(std::string_view encoded, bool above, bool with_equal) {
    ValueBounds bounds = comparable_with(encoded);
    const std::string_view known = known_part(encoded);
    bounds.exact = known.size() == encoded.size();
    const bool past = bounds.exact ? above != with_equal : !above;
    std::string edge = past ? prefix_end(known) : std::string(known);
    (above ? bounds.from : bounds.until) = std::move(edge);
    return bounds;
}

}  // namespace

ValueBounds of_kinds(Tag first, Tag last) {
    return {.from = tag_only(first), .until = behind(last), .exact = true};
}

ValueBounds equal_to(std::string_view encoded) {
    return {.from = std::string(encoded), .until = prefix_end(encoded), .exact = is_exact(encoded)};
}

ValueBounds less_than(std::string_view encoded) { return compared(encoded, false, false); }
ValueBounds at_most(std::string_view encoded) { return compared(encoded, false, true); }
ValueBounds greater_than(std::string_view encoded) { return compared(encoded, true, false); }
ValueBounds at_least(std::string_view encoded) { return compared(encoded, true, true); }

ValueBounds starting_with(std::string_view utf8) {
    std::string encoded;
    encode_string(encoded, utf8);
    const std::string_view known = known_part(encoded);
    const bool exact = known.size() == encoded.size();
    // A whole string continues in place of its end mark; a truncated one has none.
    const std::string_view prefix = exact ? known.substr(0, known.size() - 1) : known;
    return {.from = std::string(prefix), .until = prefix_end(prefix), .exact = exact};
}

ValueBounds intersection(const ValueBounds& a, const ValueBounds& b) {
    return {.from = std::max(a.from, b.from),
            .until = std::min(a.until, b.until),
            .exact = a.exact && b.exact};
}

ValueBounds inverted(const ValueBounds& bounds) {
    std::string from;
    std::string until;
    append_in_order(from, bounds.until, Order::kDescending);
    append_in_order(until, bounds.from, Order::kDescending);
    // Values that begin with the old lower bound are in the range, those with the old upper are
    // not.
    return {.from = prefix_end(from), .until = prefix_end(until), .exact = bounds.exact};
}

std::string prefix_end(std::string_view prefix) {
    std::string end(prefix);
    while (!end.empty() && end.back() == '\xff') {
        end.pop_back();
    }
    CHECK(!end.empty());
    end.back() = static_cast<char>(end.back() + 1);
    return end;
}

}  // namespace orrery::index
