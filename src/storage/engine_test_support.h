// Helpers for tests of engines and of code built on them. Tests only.

#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "storage/engine.h"

namespace orrery::storage::testing_support {

using Entries = std::vector<std::pair<std::string, std::string>>;
using Model = std::map<std::string, std::string>;

inline Range everything() { return {}; }
inline Range range(std::string from, std::optional<std::string> until = std::nullopt) {
    return {.from = std::move(from), .until = std::move(until)};
}

inline Entries entries(const Reader& reader, const Range& wanted, Direction direction) {
    Entries found;
    const std::unique_ptr<Cursor> cursor = reader.scan(wanted, direction);
    for (; cursor->valid(); cursor->next()) {
        found.emplace_back(cursor->key(), cursor->value());
    }
    EXPECT_TRUE(cursor->status());
    return found;
}

inline std::string keys(const Reader& reader,
                        const Range& wanted,
                        Direction direction = Direction::kForward) {
    std::string joined;
    for (const auto& [key, value] : entries(reader, wanted, direction)) {
        joined += (joined.empty() ? "" : " ") + key;
    }
    return joined;
}

inline std::optional<std::string> value_of(const Reader& reader, std::string_view key) {
    std::string value;
    const Result<bool> found = reader.get(key, value);
    EXPECT_TRUE(found);
    if (!found || !*found) return std::nullopt;
    return value;
}

inline Entries expected_entries(const Model& model, const Range& wanted, Direction direction) {
    Entries expected;
    for (const auto& [key, value] : model) {
        if (key >= wanted.from && (!wanted.until || key < *wanted.until)) {
            expected.emplace_back(key, value);
        }
    }
    if (direction == Direction::kBackward) std::reverse(expected.begin(), expected.end());
    return expected;
}

inline void put(PartitionStore& store, std::string_view key, std::string_view value) {
    WriteBatch batch;
    batch.put(key, value);
    ASSERT_TRUE(store.commit(batch));
}

inline void fill(PartitionStore& store, const std::vector<std::string>& wanted) {
    WriteBatch batch;
    for (const std::string& key : wanted) {
        batch.put(key, "value of " + key);
    }
    ASSERT_TRUE(store.commit(batch));
}

// Short keys from few letters collide often, and the letters are at the edges of the byte range.
inline std::string random_key(std::mt19937& random) {
    constexpr std::string_view kLetters(
        "\x00\x01"
        "a\x7f\x80\xfe\xff",
        7);
    std::string key(random() % 4, '\0');
    for (char& c : key) {
        c = kLetters[random() % kLetters.size()];
    }
    return key;
}

inline Range random_range(std::mt19937& random) {
    Range wanted{.from = random_key(random), .until = std::nullopt};
    if (random() % 4 != 0) wanted.until = random_key(random);
    return wanted;
}

inline Direction random_direction(std::mt19937& random) {
    return random() % 2 == 0 ? Direction::kForward : Direction::kBackward;
}

// Applies the same random batch to the store and the model.
inline void commit_random_batch(std::mt19937& random, PartitionStore& store, Model& model) {
    WriteBatch batch;
    for (auto left = random() % 12; left > 0; --left) {
        const std::string key = random_key(random);
        if (random() % 3 == 0) {
            batch.remove(key);
            model.erase(key);
        } else {
            const std::string value = std::to_string(random());
            batch.put(key, value);
            model[key] = value;
        }
    }
    ASSERT_TRUE(store.commit(batch));
}

inline void expect_same(std::mt19937& random, const Reader& reader, const Model& model) {
    const Range wanted = random_range(random);
    const Direction direction = random_direction(random);
    ASSERT_EQ(entries(reader, wanted, direction), expected_entries(model, wanted, direction));
    const std::string key = random_key(random);
    const auto found = model.find(key);
    ASSERT_EQ(value_of(reader, key),
              found == model.end() ? std::nullopt : std::optional(found->second));
}

// Set ORRERY_TEST_SEED=n for another seed.
inline unsigned test_seed() {
    const char* const chosen = std::getenv("ORRERY_TEST_SEED");
    return chosen == nullptr ? 1 : static_cast<unsigned>(std::strtoul(chosen, nullptr, 10));
}

}  // namespace orrery::storage::testing_support
