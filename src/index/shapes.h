// The shape of an item: the set of paths without [] that it has in the index. The items of a
// container have few distinct shapes, so a list of items for each shape answers which items lack a
// path.
//
// Like the PathTree, it grows with items and can be rolled back.

#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "index/path_policy.h"

namespace orrery::index {

using ShapeId = std::uint32_t;
// On disk. Items that have no entries at all: every plan has to load them.
inline constexpr ShapeId kNotIndexed = 0;
// On disk. Items with entries whose shape is not listed because kShapesMax was reached.
inline constexpr ShapeId kUnlistedShape = 1;
inline constexpr ShapeId kFirstShape = 2;
inline constexpr std::size_t kShapesMax = 1000;

class Shapes {
public:
    // The shape with these paths, sorted; a new one while there is room.
    ShapeId id_of(std::span<const PathId> paths);
    // Ids start at kFirstShape, without gaps.
    std::size_t count() const { return shapes_.size(); }
    const std::vector<PathId>& paths(ShapeId id) const { return shapes_[id - kFirstShape]; }
    // Restores shapes from the dictionary, in the order of their ids.
    void restore(std::vector<PathId> paths);

    void rollback_to(std::size_t count);

private:
    std::vector<std::vector<PathId>> shapes_;
    std::unordered_multimap<std::uint64_t, ShapeId> by_hash_;
    ShapeId last_ = kUnlistedShape;  // most items have the shape of the previous one
};

}  // namespace orrery::index
