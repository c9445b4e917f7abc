// Ranges of encoded values: the index entries to walk for a condition on one path.

#pragma once

#include <string>
#include <string_view>

#include "index/value_encoding.h"

namespace orrery::index {

// Encoded values v with from <= v < until, compared bytewise.
struct ValueBounds {
    std::string from;
    std::string until;
    // Every value in the range meets the condition. Otherwise the range contains all that do, and
    // values that are not exact must be checked in their item.
    bool exact = true;

    bool empty() const { return from >= until; }
    bool operator==(const ValueBounds&) const = default;
};

// All values of these kinds, first and last included.
ValueBounds of_kinds(Tag first, Tag last);
inline ValueBounds of_kind(Tag tag) { return of_kinds(tag, tag); }
inline ValueBounds any_defined() { return of_kinds(Tag::kNull, Tag::kObject); }

// Conditions on one encoded value. Comparisons stay within its kind, as the operators do; false and
// true count as one kind; undefined, arrays and objects cannot be compared.
ValueBounds equal_to(std::string_view encoded);
ValueBounds less_than(std::string_view encoded);
ValueBounds at_most(std::string_view encoded);
ValueBounds greater_than(std::string_view encoded);
ValueBounds at_least(std::string_view encoded);

// Strings that start with this one.
ValueBounds starting_with(std::string_view utf8);

// The values in both ranges.
ValueBounds intersection(const ValueBounds& a, const ValueBounds& b);

// The same values as they appear inverted in a composite index.
ValueBounds inverted(const ValueBounds& bounds);

// The first byte string after all that begin with `prefix`, which must have a byte below FF.
std::string prefix_end(std::string_view prefix);

}  // namespace orrery::index
