#include "storage/rocksdb/entry_tree.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "base/check.h"

namespace orrery::storage {

namespace {

constexpr std::size_t kSlots = 32;
constexpr std::size_t kTagBytes = 8;

// The first bytes in which the keys of a node can differ.
using Head = std::uint64_t;

// Loads and stores of what readers may see while it changes. Acquiring every load keeps a later
// look at the version behind it; releasing every store keeps it behind the odd version.
template <typename T>
T get(const std::atomic<T>& from) {
    return from.load(std::memory_order_acquire);
}
template <typename T>
void set(std::atomic<T>& to, T value) {
    to.store(value, std::memory_order_release);
}

}  // namespace

class EntryTree::Key {
public:
    explicit Key(std::string_view internal)
        : user_(internal.substr(0, internal.size() - kTagBytes)) {
        std::memcpy(&tag_, internal.data() + user_.size(), kTagBytes);
    }
    explicit Key(Entry entry) : Key(internal_key(entry)) {}

    // The bytes from `skip` on, as a number in their order.
    Head head(std::size_t skip) const {
        std::array<unsigned char, sizeof(Head)> bytes{};
        if (skip + bytes.size() <= user_.size()) {
            std::memcpy(bytes.data(), user_.data() + skip, bytes.size());
        } else if (skip < user_.size()) {
            std::memcpy(bytes.data(), user_.data() + skip, user_.size() - skip);
        }
        Head head = 0;
        for (const unsigned char byte : bytes) {
            head = head << 8 | byte;
        }
        return head;
    }

    // Both begin with the same `skip` bytes.
    int compare(const Key& other, std::size_t skip) const {
        const std::size_t common = std::min(user_.size(), other.user_.size());
        if (skip < common) {
            const int order =
                std::memcmp(user_.data() + skip, other.user_.data() + skip, common - skip);
            if (order != 0) return order;
        }
        if (user_.size() != other.user_.size()) return user_.size() < other.user_.size() ? -1 : 1;
        return tag_ == other.tag_ ? 0 : tag_ > other.tag_ ? -1 : 1;
    }

    std::size_t common_prefix(const Key& other) const {
        const auto end =
            std::mismatch(user_.begin(), user_.end(), other.user_.begin(), other.user_.end());
        return static_cast<std::size_t>(end.first - user_.begin());
    }

private:
    static std::string_view internal_key(Entry entry) {
        std::uint32_t size = 0;
        for (unsigned shift = 0;; shift += 7) {
            const auto byte = static_cast<unsigned char>(*entry++);
            size |= std::uint32_t{byte & 0x7FU} << shift;
            if (byte < 0x80) break;
        }
        return {entry, size};
    }

    std::string_view user_;
    std::uint64_t tag_ = 0;
};

class EntryTree::Node {
public:
    explicit Node(bool is_leaf) : is_leaf_(is_leaf) {}

    bool is_leaf() const { return is_leaf_; }
    std::size_t count() const { return get(count_); }
    Entry key(std::size_t index) const { return get(keys_[index]); }

    // For readers: an even version, and whether it still is.
    std::uint64_t stable() const {
        for (int spins = 0;; ++spins) {
            const std::uint64_t version = get(version_);
            if (version % 2 == 0) return version;
            if (spins >= 64) std::this_thread::yield();
        }
    }
    bool is_still(std::uint64_t version) const { return get(version_) == version; }

    // The number of keys from `from` on that are less than the key, or also those equal to it.
    std::size_t keys_below(const Key& key, bool or_equal, std::size_t from) const {
        const std::size_t skip = get(skip_);
        const Head head = key.head(skip);
        std::size_t low = from;
        std::size_t high = std::min(count(), kSlots);
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            const Head other = get(heads_[middle]);
            bool below = other < head;
            if (other == head) {
                const int order = Key(get(keys_[middle])).compare(key, skip);
                below = order < 0 || (or_equal && order == 0);
            }
            (below ? low : high) = below ? middle + 1 : middle;
        }
        return low;
    }

    // All below: for the writer, the first within a Change.
    class Change {
    public:
        explicit Change(Node& node) : node_(node) {
            node_.version_.store(node_.version_.load(std::memory_order_relaxed) + 1,
                                 std::memory_order_relaxed);
        }
        Change(const Change&) = delete;
        Change& operator=(const Change&) = delete;
        ~Change() { set(node_.version_, node_.version_.load(std::memory_order_relaxed) + 1); }

    private:
        Node& node_;
    };

    void set_key(std::size_t index, Entry entry) {
        set(heads_[index], Key(entry).head(get(skip_)));
        set(keys_[index], entry);
    }
    void move_key(std::size_t from, std::size_t to) {
        set(heads_[to], get(heads_[from]));
        set(keys_[to], get(keys_[from]));
    }
    void set_count(std::size_t count) { set(count_, static_cast<std::uint32_t>(count)); }
    // All keys are at or after `low` and before `high`; null is no bound.
    void set_bounds(Entry low, Entry high, std::size_t first_key) {
        low_ = low;
        high_ = high;
        if (low == nullptr || high == nullptr) return;
        set(skip_, static_cast<std::uint32_t>(Key(low).common_prefix(Key(high))));
        for (std::size_t i = first_key; i < count(); ++i) {
            set_key(i, key(i));
        }
    }
    Entry low() const { return low_; }
    Entry high() const { return high_; }

private:
    std::atomic<std::uint64_t> version_ = 0;
    std::atomic<std::uint32_t> count_ = 0;
    std::atomic<std::uint32_t> skip_ = 0;  // bytes that all keys have in common
    const bool is_leaf_;
    Entry low_ = nullptr;
    Entry high_ = nullptr;
    std::array<std::atomic<Head>, kSlots> heads_{};
    std::array<std::atomic<Entry>, kSlots> keys_{};
};

struct EntryTree::Leaf : Node {
    Leaf() : Node(true) {}

    std::atomic<Leaf*> next = nullptr;
};

// Child i has the keys from key i on; key 0 is not used.
struct EntryTree::Inner : Node {
    Inner() : Node(false) {}

    std::array<std::atomic<Node*>, kSlots> children{};

    std::size_t child_of(const Key& key, bool or_equal) const {
        return std::max<std::size_t>(keys_below(key, or_equal, 1), 1) - 1;
    }

    // Adds a child after the one at `index`.
    void add(std::size_t index, Entry first, Node* child) {
        const Change change(*this);
        const std::size_t many = count();
        for (std::size_t i = many; i > index + 1; --i) {
            move_key(i - 1, i);
            set(children[i], get(children[i - 1]));
        }
        set_key(index + 1, first);
        set(children[index + 1], child);
        set_count(many + 1);
    }
};

EntryTree::EntryTree(Allocate allocate) : allocate_(std::move(allocate)), first_(make<Leaf>()) {
    set(root_, static_cast<Node*>(first_));
}

template <typename Made>
Made* EntryTree::make() {
    constexpr std::size_t kLine = 64;  // of the processor's cache
    std::size_t space = sizeof(Made) + kLine;
    void* at = allocate_(space);
    CHECK(std::align(kLine, sizeof(Made), at, space) != nullptr);
    return new (at) Made();
}

void EntryTree::insert(Entry entry) {
    const Key key(entry);
    Inner* parent = nullptr;
    Node* node = get(root_);
    while (!node->is_leaf()) {
        auto* inner = static_cast<Inner*>(node);
        if (inner->count() == kSlots) {
            Inner* right = split(*inner, parent);
            if (key.compare(Key(right->low()), 0) >= 0) inner = right;
        }
        parent = inner;
        node = get(inner->children[inner->child_of(key, true)]);
    }
    auto* leaf = static_cast<Leaf*>(node);
    std::size_t at = leaf->keys_below(key, false, 0);
    if (leaf->count() == kSlots) {
        // Where entries are added in order, leaves stay full.
        const std::size_t keep = at == kSlots ? kSlots - 1 : kSlots / 2;
        Leaf* right = split(*leaf, parent, keep);
        if (at > keep) {
            leaf = right;
            at -= keep;
        }
    }
    const Node::Change change(*leaf);
    const std::size_t many = leaf->count();
    for (std::size_t i = many; i > at; --i) {
        leaf->move_key(i - 1, i);
    }
    leaf->set_key(at, entry);
    leaf->set_count(many + 1);
}

EntryTree::Leaf* EntryTree::split(Leaf& leaf, Inner* parent, std::size_t keep) {
    if (parent == nullptr) parent = &new_root(leaf);
    Leaf* right = make<Leaf>();
    for (std::size_t i = keep; i < kSlots; ++i) {
        right->set_key(i - keep, leaf.key(i));
    }
    right->set_count(kSlots - keep);
    const Entry first = right->key(0);
    right->set_bounds(first, leaf.high(), 0);
    set(right->next, get(leaf.next));
    const std::size_t index = parent->child_of(Key(first), true);
    const Node::Change change(leaf);
    parent->add(index, first, right);
    leaf.set_count(keep);
    leaf.set_bounds(leaf.low(), first, 0);
    set(leaf.next, right);
    return right;
}

EntryTree::Inner* EntryTree::split(Inner& inner, Inner* parent) {
    if (parent == nullptr) parent = &new_root(inner);
    constexpr std::size_t kKeep = kSlots / 2;
    Inner* right = make<Inner>();
    for (std::size_t i = kKeep; i < kSlots; ++i) {
        right->set_key(i - kKeep, inner.key(i));
        set(right->children[i - kKeep], get(inner.children[i]));
    }
    right->set_count(kSlots - kKeep);
    const Entry first = right->key(0);
    right->set_bounds(first, inner.high(), 1);
    const std::size_t index = parent->child_of(Key(first), true);
    const Node::Change change(inner);
    parent->add(index, first, right);
    inner.set_count(kKeep);
    inner.set_bounds(inner.low(), first, 1);
    return right;
}

EntryTree::Inner& EntryTree::new_root(Node& left) {
    Inner* root = make<Inner>();
    set(root->children[0], &left);
    root->set_count(1);
    set(root_, static_cast<Node*>(root));
    return *root;
}

bool EntryTree::contains(Entry entry) const {
    const Key key(entry);
    Cursor cursor(*this);
    find(key, Side::kAtOrAfter, cursor);
    return cursor.valid() && Key(cursor.entry()).compare(key, 0) == 0;
}

void EntryTree::find(const Key& key, Side side, Cursor& to) const {
    while (!try_find(key, side, to)) {
    }
}

template <typename Choose>
const EntryTree::Leaf* EntryTree::try_descend(Choose choose, std::uint64_t& version) const {
    const Node* node = get(root_);
    version = node->stable();
    if (get(root_) != node) return nullptr;
    while (!node->is_leaf()) {
        const auto* inner = static_cast<const Inner*>(node);
        const Node* child = get(inner->children[choose(*inner)]);
        if (!inner->is_still(version)) return nullptr;
        const std::uint64_t child_version = child->stable();
        if (!inner->is_still(version)) return nullptr;
        node = child;
        version = child_version;
    }
    return static_cast<const Leaf*>(node);
}

bool EntryTree::try_find(const Key& key, Side side, Cursor& to) const {
    // Children begin with an entry, so the last child that begins before the key has one before it.
    const bool or_equal = side != Side::kBefore;
    std::uint64_t version = 0;
    const Leaf* leaf =
        try_descend([&](const Inner& inner) { return inner.child_of(key, or_equal); }, version);
    if (leaf == nullptr) return false;
    const bool forward = side == Side::kAtOrAfter || side == Side::kAfter;
    const bool past_equal = side == Side::kAfter || side == Side::kAtOrBefore;
    const std::size_t below = leaf->keys_below(key, past_equal, 0);
    to.leaf_ = leaf;
    to.version_ = version;
    if (forward) {
        to.index_ = below;
        if (below >= leaf->count()) return enter_next_leaf(to);
    } else {
        to.index_ = below - 1;
    }
    to.entry_ = !forward && below == 0 ? nullptr : leaf->key(to.index_);
    return leaf->is_still(version);
}

// From the end of a leaf.
bool EntryTree::enter_next_leaf(Cursor& at) {
    const Leaf* next = get(at.leaf_->next);
    if (!at.leaf_->is_still(at.version_)) return false;
    if (next == nullptr) {
        at.entry_ = nullptr;
        return true;
    }
    const std::uint64_t version = next->stable();
    const Entry entry = next->key(0);
    if (!next->is_still(version) || !at.leaf_->is_still(at.version_)) return false;
    at.leaf_ = next;
    at.version_ = version;
    at.index_ = 0;
    at.entry_ = entry;
    return true;
}

bool EntryTree::try_last(Cursor& to) const {
    std::uint64_t version = 0;
    const Leaf* leaf = try_descend([](const Inner& inner) { return inner.count() - 1; }, version);
    if (leaf == nullptr) return false;
    const std::size_t count = leaf->count();
    to.leaf_ = leaf;
    to.version_ = version;
    to.index_ = count - 1;
    to.entry_ = count == 0 ? nullptr : leaf->key(count - 1);
    return leaf->is_still(version);
}

void EntryTree::Cursor::to_first() {
    leaf_ = tree_->first_;
    do {
        version_ = leaf_->stable();
        index_ = 0;
        entry_ = leaf_->count() == 0 ? nullptr : leaf_->key(0);
    } while (!leaf_->is_still(version_));
}

void EntryTree::Cursor::to_last() {
    while (!tree_->try_last(*this)) {
    }
}

void EntryTree::Cursor::seek(std::string_view internal_key) {
    tree_->find(Key(internal_key), Side::kAtOrAfter, *this);
}

void EntryTree::Cursor::seek_back(std::string_view internal_key) {
    tree_->find(Key(internal_key), Side::kAtOrBefore, *this);
}

void EntryTree::Cursor::next() {
    if (index_ + 1 < leaf_->count()) {
        const Entry found = leaf_->key(index_ + 1);
        if (leaf_->is_still(version_)) {
            entry_ = found;
            ++index_;
            return;
        }
    } else if (enter_next_leaf(*this)) {
        return;
    }
    tree_->find(Key(entry_), Side::kAfter, *this);
}

void EntryTree::Cursor::previous() {
    if (index_ > 0) {
        const Entry found = leaf_->key(index_ - 1);
        if (leaf_->is_still(version_)) {
            entry_ = found;
            --index_;
            return;
        }
    }
    tree_->find(Key(entry_), Side::kBefore, *this);
}

}  // namespace orrery::storage
