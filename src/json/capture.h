// Finds the values at a set of paths while JSON text is checked: one pass, no tree. This is how the
// write path gets an item's id, partition key, ttl and unique keys out of its text.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/path.h"
#include "json/scan.h"

namespace orrery::json {

// A piece of the scanned text.
struct Captured {
    Kind kind = Kind::kNull;
    std::string_view raw;  // the value
    // Where the member stands, from its name's quote to behind its value; for cutting it out.
    std::size_t member_from = 0;
    std::size_t member_until = 0;
};

// The paths to look for, compiled once per container.
class PathSet {
public:
    PathSet();

    // Returns the number under which capture() reports this path. Adding one twice gives its
    // number.
    std::size_t add(const Path& path);
    std::size_t size() const { return count_; }

private:
    friend class Capture;
    static constexpr std::size_t kNothing = static_cast<std::size_t>(-1);

    struct Node {
        std::vector<std::pair<std::string, std::size_t>> children;  // name → node
        std::size_t path = kNothing;                                // the path that ends here
    };

    std::size_t child(std::size_t node, std::string_view name) const;

    std::vector<Node> nodes_;
    std::size_t count_ = 0;
};

// Checks the whole text and returns what stands at each path, nothing where the path leads nowhere.
// The text must be an object.
Result<std::vector<std::optional<Captured>>> capture(std::string_view text, const PathSet& paths);

}  // namespace orrery::json
