#include "storage/rocksdb/entry_tree.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace orrery::storage {
namespace entry_tree_test {

// The user key and the tag of an entry, in the tree's order.
struct Named {
    std::string key;
    std::uint64_t tag = 0;

    bool operator==(const Named&) const = default;
    bool operator<(const Named& other) const {
        return key == other.key ? tag > other.tag : key < other.key;
    }
    std::string internal() const {
        std::string out = key;
        for (int i = 0; i < 8; ++i) {
            out.push_back(static_cast<char>(tag >> (8 * i)));
        }
        return out;
    }
};

Named named(EntryTree::Entry entry) {
    std::size_t size = 0;
    for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(*entry++);
        size |= std::size_t{byte & 0x7FU} << shift;
        if (byte < 0x80) break;
    }
    Named out{.key = std::string(entry, size - 8), .tag = 0};
    std::memcpy(&out.tag, entry + size - 8, 8);
    return out;
}

class EntryTreeTest : public testing::Test {
protected:
    // Only one thread at a time.
    char* allocate(std::size_t bytes) {
        // As an arena would: not aligned.
        blocks_.push_back(std::make_unique<char[]>(bytes + 1));
        return blocks_.back().get() + 1;
    }

    void insert(const Named& one) {
        const std::string internal = one.internal();
        std::string entry;
        append_varint(entry, internal.size());
        entry += internal + "value";
        char* at = allocate(entry.size());
        std::copy(entry.begin(), entry.end(), at);
        tree_.insert(at);
    }

    // Keys that agree in long prefixes, some being prefixes of others.
    Named random_key(std::size_t alphabet) {
        static constexpr std::string_view kLetters{"\0\x01Iac\xFF", 6};
        Named out;
        out.key = std::string("\0\0\0\x07", 4) + (random_() % 4 == 0 ? "D" : "Iabcdefgh");
        for (std::size_t i = random_() % 12; i > 0; --i) {
            out.key.push_back(kLetters[random_() % std::min(alphabet, kLetters.size())]);
        }
        out.tag = random_() % 5;
        return out;
    }

    void expect_same(const std::set<Named>& model) {
        EntryTree::Cursor cursor(tree_);
        cursor.to_first();
        for (const Named& one : model) {
            ASSERT_TRUE(cursor.valid());
            ASSERT_EQ(named(cursor.entry()), one);
            cursor.next();
        }
        EXPECT_FALSE(cursor.valid());
        cursor.to_last();
        for (auto at = model.rbegin(); at != model.rend(); ++at) {
            ASSERT_TRUE(cursor.valid());
            ASSERT_EQ(named(cursor.entry()), *at);
            cursor.previous();
        }
        EXPECT_FALSE(cursor.valid());
    }

    void expect_found(const std::set<Named>& model, const Named& wanted) {
        EntryTree::Cursor cursor(tree_);
        cursor.seek(wanted.internal());
        const auto after = model.lower_bound(wanted);
        ASSERT_EQ(cursor.valid(), after != model.end());
        if (cursor.valid()) {
            ASSERT_EQ(named(cursor.entry()), *after);
            cursor.previous();
            ASSERT_EQ(cursor.valid(), after != model.begin());
            if (cursor.valid()) ASSERT_EQ(named(cursor.entry()), *std::prev(after));
        }
        cursor.seek_back(wanted.internal());
        const auto beyond = model.upper_bound(wanted);
        ASSERT_EQ(cursor.valid(), beyond != model.begin());
        if (cursor.valid()) {
            ASSERT_EQ(named(cursor.entry()), *std::prev(beyond));
            cursor.next();
            ASSERT_EQ(cursor.valid(), beyond != model.end());
            if (cursor.valid()) ASSERT_EQ(named(cursor.entry()), *beyond);
        }
    }

    std::vector<std::unique_ptr<char[]>> blocks_;
    EntryTree tree_{[this](std::size_t bytes) { return allocate(bytes); }};
    std::mt19937 random_{11};
};

TEST_F(EntryTreeTest, EmptyTree) {
    EntryTree::Cursor cursor(tree_);
    cursor.to_first();
    EXPECT_FALSE(cursor.valid());
    cursor.to_last();
    EXPECT_FALSE(cursor.valid());
    expect_found({}, {"a", 1});
}

TEST_F(EntryTreeTest, ActsLikeASet) {
    std::set<Named> model;
    for (int i = 0; i < 20'000; ++i) {
        const Named one = random_key(6);
        if (model.insert(one).second) insert(one);
        expect_found(model, random_key(6));
        if (i % 5'000 == 0) expect_same(model);
    }
    ASSERT_GT(model.size(), 5'000U);
    expect_same(model);
    for (const Named& one : model) {
        std::string entry;
        append_varint(entry, one.internal().size());
        entry += one.internal();
        ASSERT_TRUE(tree_.contains(entry.data()));
        entry.back() = 'x';
        ASSERT_FALSE(tree_.contains(entry.data()));
    }
}

TEST_F(EntryTreeTest, KeysInOrder) {
    std::set<Named> model;
    for (std::uint64_t i = 0; i < 5'000; ++i) {
        Named one{.key = "prefix", .tag = 1};
        append_big_endian(one.key, i);
        model.insert(one);
        insert(one);
    }
    expect_same(model);
    std::set<Named> both = model;
    for (std::uint64_t i = 5'000; i > 0; --i) {
        Named one{.key = "before", .tag = 1};
        append_big_endian(one.key, i);
        both.insert(one);
        insert(one);
    }
    expect_same(both);
}

// Everything that was there before a read began is found, in order, whatever is added meanwhile.
TEST_F(EntryTreeTest, ReadersDoNotMissWhatWasThere) {
    std::vector<Named> first;
    std::vector<Named> later;
    std::set<Named> all;
    while (all.size() < 12'000) {
        const Named one = random_key(6);
        if (all.insert(one).second) (all.size() <= 2'000 ? first : later).push_back(one);
    }
    for (const Named& one : first) {
        insert(one);
    }
    std::sort(first.begin(), first.end());
    std::atomic<bool> ended = false;
    const auto read = [&](bool forward) {
        do {
            EntryTree::Cursor cursor(tree_);
            std::size_t found = 0;
            std::optional<Named> last;
            forward ? cursor.to_first() : cursor.to_last();
            while (cursor.valid()) {
                const Named one = named(cursor.entry());
                if (last) ASSERT_EQ(forward ? *last < one : one < *last, true);
                found += std::binary_search(first.begin(), first.end(), one) ? 1 : 0;
                last = one;
                forward ? cursor.next() : cursor.previous();
            }
            ASSERT_EQ(found, first.size());
            for (std::size_t i = 0; i < first.size(); i += 37) {
                cursor.seek(first[i].internal());
                ASSERT_TRUE(cursor.valid());
                ASSERT_EQ(named(cursor.entry()), first[i]);
            }
        } while (!ended);
    };
    std::thread up([&] { read(true); });
    std::thread down([&] { read(false); });
    for (const Named& one : later) {
        insert(one);
        if (one.tag == 0) std::this_thread::yield();
    }
    ended = true;
    up.join();
    down.join();
    expect_same(all);
}

}  // namespace entry_tree_test
}  // namespace orrery::storage
