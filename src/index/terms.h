// Extracts an item's index keys in one pass over its text: one for every value at an indexed place
// (for arrays and objects, their hash), and one for each composite index.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/computed_properties.h"
#include "index/key_list.h"
#include "index/path_policy.h"
#include "index/path_tree.h"
#include "index/shapes.h"
#include "json/stored_text.h"

namespace orrery::index {

// An item with more has no entries at all (kNotIndexed): it would block all other writes.
inline constexpr std::size_t kTermsPerItemMax = 10'000;

// What surrounds path and value in every key.
struct KeyFrame {
    std::string_view terms;       // before the path's id
    std::string_view composites;  // before the number of the composite index
    std::string_view item;        // after the value
};

// Reuses its buffers from item to item. Used by one thread.
class TermExtractor {
public:
    // `computed` may be null when the policy has none. All must outlive the extractor.
    TermExtractor(const PathPolicy& policy,
                  const ComputedProperties* computed,
                  PathTree& tree,
                  Shapes& shapes)
        : policy_(policy), computed_(computed), tree_(tree), shapes_(shapes) {}

    // Fills `keys` with the index keys of a stored item, sorted, and returns its shape. New paths
    // and shapes are added to tree and shapes. kCorrupted when the text is damaged.
    Result<ShapeId> extract(std::string_view item_json, const KeyFrame& frame, KeyList& keys);

private:
    struct Piece {
        std::size_t at = 0;
        std::size_t size = 0;
    };

    bool walk_root(json::StoredText& text);
    void walk_computed(std::string_view item_json);
    bool is_computed(std::string_view name) const;
    // Walks a value; returns its hash if there is a seed, that is, if it is part of something that
    // is hashed.
    Hash128 value(json::StoredText& text, PathTree::Place place, const Hash128* seed, int depth);
    Hash128 array(json::StoredText& text, PathTree::Place place, const Hash128* seed, int depth);
    Hash128 object(json::StoredText& text, PathTree::Place place, const Hash128* seed, int depth);
    Hash128 scalar(json::StoredText& text, PathTree::Place place, const Hash128* seed);
    std::string_view name(json::StoredText& text);
    template <typename AppendValue>
    void add(const PathTree::Node& node, AppendValue append_value);
    void add_composites();

    const PathPolicy& policy_;
    const ComputedProperties* const computed_;
    PathTree& tree_;
    Shapes& shapes_;

    const KeyFrame* frame_ = nullptr;
    KeyList* keys_ = nullptr;
    std::vector<PathId> shape_;
    std::string slot_bytes_;
    std::vector<Piece> slots_;  // the value of each composite path in slot_bytes_
    std::string scratch_;
    bool too_many_ = false;
};

}  // namespace orrery::index
