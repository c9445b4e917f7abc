// The ordered entries of a RocksDB memtable: a B+-tree in memory to which entries are only added.
//
// One thread adds; any number read meanwhile, without locks and without writing to shared memory. A
// node has a version that is odd while it changes. Readers note it before they look at a node, look
// at it again afterwards, and start over if it has changed. Nodes and entries are never freed, so
// whatever a reader sees in between is a valid pointer.
//
// An entry is RocksDB's: varint32 length of the internal key, the internal key (user key and 8
// bytes little endian, the tag), then the value. Entries are ordered by user key, bytewise, then by
// tag, descending. Nodes keep the first bytes in which their keys can differ next to each other, so
// that a search rarely has to look at entries.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace orrery::storage {

class EntryTree {
public:
    using Entry = const char*;
    // Returns memory, of any alignment, that lives as long as the tree.
    using Allocate = std::function<char*(std::size_t)>;

    explicit EntryTree(Allocate allocate);
    EntryTree(const EntryTree&) = delete;
    EntryTree& operator=(const EntryTree&) = delete;
    ~EntryTree() = default;

    // The entry must not be in the tree, and outlives it. One thread at a time.
    void insert(Entry entry);

    // All below: any thread.
    bool contains(Entry entry) const;

    class Key;   // an internal key, taken apart
    class Node;  // below
    struct Leaf;

    // A place in the tree: at an entry or at the end.
    class Cursor {
    public:
        explicit Cursor(const EntryTree& tree) : tree_(&tree) {}

        bool valid() const { return entry_ != nullptr; }
        Entry entry() const { return entry_; }
        void to_first();
        void to_last();
        // To the first entry at or after the internal key.
        void seek(std::string_view internal_key);
        // To the last entry at or before it.
        void seek_back(std::string_view internal_key);
        void next();
        void previous();

    private:
        friend class EntryTree;

        const EntryTree* tree_;
        const Leaf* leaf_ = nullptr;
        std::uint64_t version_ = 0;  // of the leaf when the entry was read
        std::size_t index_ = 0;      // in the leaf
        Entry entry_ = nullptr;
    };

private:
    enum class Side : std::uint8_t { kAtOrAfter, kAfter, kAtOrBefore, kBefore };
    struct Inner;

    void find(const Key& key, Side side, Cursor& to) const;
    // The leaf that `choose` leads to through the inner nodes, and its version. Null if the tree
    // changed meanwhile, as the functions below return false.
    template <typename Choose>
    const Leaf* try_descend(Choose choose, std::uint64_t& version) const;
    bool try_find(const Key& key, Side side, Cursor& to) const;
    bool try_last(Cursor& to) const;
    static bool enter_next_leaf(Cursor& at);

    template <typename Made>
    Made* make();
    Leaf* split(Leaf& leaf, Inner* parent, std::size_t keep);
    Inner* split(Inner& inner, Inner* parent);
    Inner& new_root(Node& left);

    const Allocate allocate_;
    std::atomic<Node*> root_;
    Leaf* first_;
};

}  // namespace orrery::storage
