// The places of items that the index has seen, as a tree, each with the id of its path in index
// keys. It grows as items bring new paths and can be rolled back, so that a failed write leaves no
// trace. Used by one thread.
//
// A path gets its id the first time an item has it. Once kPathsMax are listed, later paths are
// never listed in this index: a path is listed with all its entries, or not at all.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/path_policy.h"

namespace orrery::index {

inline constexpr std::size_t kPathsMax = 10'000;
// Longer paths are not listed: their keys would be too long.
inline constexpr std::size_t kPathBytesMax = 1024;

// A path as a key of the dictionary: for each step the length of the name plus one (LEB128) and the
// name, for elements only 00. On disk. /a/[]/b → 02 61 00 02 62.
std::string encode_path(const model::IndexPath& path);
Result<model::IndexPath> decode_path(std::string_view bytes);

class PathTree {
public:
    using Place = std::uint32_t;
    static constexpr Place kRoot = 0;
    static constexpr Place kNowhere = 0xffffffff;  // nothing there or below is in the index

    // What the index needs to know about a place.
    struct Node {
        PathId id = 0;                             // 0: values here have no entries of their own
        std::uint16_t slot = PathPolicy::kNoSlot;  // in the composite indexes
        bool included = false;                     // by the policy
        bool below = false;     // places below are indexed unless a rule says otherwise
        bool leads_on = false;  // the tree has places below
        bool in_array = false;  // an item may have several values here
    };

    explicit PathTree(const PathPolicy& policy);

    // Where a step leads. A new place that is indexed gets its id here.
    Place member(Place from, std::string_view name) { return child(from, name, false); }
    Place element(Place from) { return child(from, {}, true); }
    const Node& at(Place place) const { return nodes_[place].known; }

    // Restores a path from the dictionary; kCorrupted when it cannot be in this index.
    Status restore(const model::IndexPath& path, PathId id);
    // False when ids up to path_count() are missing; only meaningful after restoring.
    bool is_complete() const;

    // The ids assigned so far are 1 to path_count().
    std::size_t path_count() const { return listed_.size(); }
    model::IndexPath path(PathId id) const;
    // Some item has had a path that is not listed.
    bool has_unlisted() const { return has_unlisted_; }
    void set_unlisted() { has_unlisted_ = true; }

    struct Savepoint {
        std::size_t nodes;
        std::size_t listed;
        bool has_unlisted;
    };
    Savepoint savepoint() const { return {nodes_.size(), listed_.size(), has_unlisted_}; }
    void rollback_to(const Savepoint& savepoint);

private:
    struct Entry {
        Node known;
        Place parent = kRoot;
        std::size_t path_bytes = 0;
        bool element = false;
        std::string name;
    };

    Place child(Place from, std::string_view name, bool element);
    Place find(Place from, std::string_view name, bool element) const;
    Place add(Place from, std::string_view name, bool element);
    void list(Place place);
    bool has_room_for(std::size_t path_bytes) const;
    // The table slot of the place, or the free slot where it would go.
    std::size_t slot_of(Place from, std::string_view name, bool element) const;
    void fill_table(std::size_t size);

    std::vector<Entry> nodes_;
    std::vector<Place> listed_;
    // Open addressing; always laid out as if filled in the order of nodes_, so that the last places
    // can be removed again.
    std::vector<Place> table_;
    bool has_unlisted_ = false;
};

}  // namespace orrery::index
