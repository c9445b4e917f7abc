#include "index/shapes.h"

#include <algorithm>

#include "base/check.h"
#include "base/hash.h"

namespace orrery::index {

namespace {

std::uint64_t hash_of(std::span<const PathId> paths) {
    return murmur3_x64_128({reinterpret_cast<const char*>(paths.data()), paths.size_bytes()}, 0).h1;
}

}  // namespace

ShapeId Shapes::id_of(std::span<const PathId> paths) {
    const auto is = [&](ShapeId id) { return std::ranges::equal(this->paths(id), paths); };
    if (last_ != kUnlistedShape && is(last_)) return last_;
    const auto [first, last] = by_hash_.equal_range(hash_of(paths));
    for (auto found = first; found != last; ++found) {
        if (is(found->second)) return last_ = found->second;
    }
    if (shapes_.size() == kShapesMax) return kUnlistedShape;
    restore({paths.begin(), paths.end()});
    return last_ = kFirstShape + static_cast<ShapeId>(shapes_.size()) - 1;
}

void Shapes::restore(std::vector<PathId> paths) {
    const auto id = kFirstShape + static_cast<ShapeId>(shapes_.size());
    by_hash_.emplace(hash_of(paths), id);
    shapes_.push_back(std::move(paths));
}

void Shapes::rollback_to(std::size_t count) {
    CHECK(count <= shapes_.size());
    if (count < shapes_.size()) last_ = kUnlistedShape;
    for (; shapes_.size() > count; shapes_.pop_back()) {
        const auto id = kFirstShape + static_cast<ShapeId>(shapes_.size()) - 1;
        const auto [first, last] = by_hash_.equal_range(hash_of(shapes_.back()));
        const auto found = std::find_if(first, last, [&](const auto& e) { return e.second == id; });
        CHECK(found != last);
        by_hash_.erase(found);
    }
}

}  // namespace orrery::index
