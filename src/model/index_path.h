// Paths as indexing policies write them: /a/?, /a/b/*, /tags/[]/?, /"my name"/?, and
// /events/[]/{name,time}/? for two of them at once. The root is /* or just /.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::model {

// One step down: into a member, or into the elements of an array.
struct IndexStep {
    std::string name;
    bool element = false;

    bool operator==(const IndexStep&) const = default;
    auto operator<=>(const IndexStep&) const = default;
};
using IndexPath = std::vector<IndexStep>;

// The meaning of one entry of a policy.
struct IndexPattern {
    IndexPath path;
    bool below = false;  // `/*`: this place and everything below; `/?`: only the value here

    bool operator==(const IndexPattern&) const = default;
    auto operator<=>(const IndexPattern&) const = default;
};

// Several when the path names several members in braces.
Result<std::vector<IndexPattern>> parse_index_pattern(std::string_view text);

// The path of a composite index: no ending, names only.
Result<IndexPath> parse_composite_path(std::string_view text);

// /a/[]/"b c", as parse_index_pattern() reads it before the ending.
std::string to_text(const IndexPath& path);

}  // namespace orrery::model
