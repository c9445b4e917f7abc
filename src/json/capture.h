// Captures the values at a set of paths while JSON text is validated: one pass, no tree. The write
// path uses it to get an item's id, partition key, ttl and unique keys.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/number.h"
#include "json/path.h"
#include "json/scan.h"

namespace orrery::json {

// A slice of the scanned text.
struct Captured {
    Kind kind = Kind::kNull;
    std::string_view raw;  // the value
    // The extent of the member, from its name's quote to the end of its value; for cutting it out.
    std::size_t member_from = 0;
    std::size_t member_until = 0;
};

// One entry per path, nothing where there is no value.
struct Captures {
    std::vector<std::optional<Captured>> at;
    // Some object has a duplicate member name. An entry may then hold a value that a later
    // duplicate replaces: drop duplicates first (value.h) and capture again.
    bool duplicates = false;
    NumberForm numbers = NumberForm::kAsPrinted;
};

// The paths to look for, compiled once per container.
class PathSet {
public:
    PathSet();

    // Returns the number under which capture() reports this path. Adding a path again returns the
    // same number.
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

// Validates the whole text and returns the value at each path. The text must be an object.
Result<Captures> capture(std::string_view text, const PathSet& paths);

}  // namespace orrery::json
