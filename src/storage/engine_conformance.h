// The engine contract (engine.h) as a typed test suite. The test file of each engine instantiates
// it with a harness:
//
//   struct Harness {
//       Engine& engine();              // the engine under test, empty at first
//       void reopen();                 // closes it and reopens it on the same data
//       void fence(PartitionId);       // only for EngineFencing: another node takes over
//   };

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "storage/engine.h"
#include "storage/engine_test_support.h"

namespace orrery::storage::conformance {

using namespace testing_support;  // NOLINT: a test suite

template <typename Harness>
class EngineConformance : public testing::Test {
protected:
    std::shared_ptr<PartitionStore> open(PartitionId id) {
        Result<std::shared_ptr<PartitionStore>> opened = harness_.engine().open(id);
        EXPECT_TRUE(opened) << (opened ? "" : opened.error().message());
        return std::move(opened).take();
    }

    Harness harness_;
};

TYPED_TEST_SUITE_P(EngineConformance);

TYPED_TEST_P(EngineConformance, NewPartitionIsEmpty) {
    const auto store = this->open(1);
    EXPECT_EQ(value_of(*store, "a"), std::nullopt);
    EXPECT_EQ(value_of(*store, ""), std::nullopt);
    EXPECT_EQ(keys(*store, everything()), "");
    EXPECT_EQ(keys(*store, everything(), Direction::kBackward), "");
}

TYPED_TEST_P(EngineConformance, AppliesBatchesAtomically) {
    const auto store = this->open(1);
    fill(*store, {"a", "b", "c"});
    WriteBatch batch;
    batch.put("b", "new");
    batch.remove("c");
    batch.remove("never there");
    batch.put("d", "4");
    ASSERT_TRUE(store->commit(batch));
    EXPECT_EQ(entries(*store, everything(), Direction::kForward),
              (Entries{{"a", "value of a"}, {"b", "new"}, {"d", "4"}}));
}

TYPED_TEST_P(EngineConformance, EmptyBatchSucceeds) {
    const auto store = this->open(1);
    EXPECT_TRUE(store->commit(WriteBatch()));
    EXPECT_EQ(keys(*store, everything()), "");
}

TYPED_TEST_P(EngineConformance, LastOperationOnAKeyWins) {
    const auto store = this->open(1);
    WriteBatch batch;
    batch.put("put put", "1");
    batch.put("put put", "2");
    batch.put("put remove", "1");
    batch.remove("put remove");
    batch.remove("remove put");
    batch.put("remove put", "1");
    ASSERT_TRUE(store->commit(batch));
    EXPECT_EQ(value_of(*store, "put put"), "2");
    EXPECT_EQ(value_of(*store, "put remove"), std::nullopt);
    EXPECT_EQ(value_of(*store, "remove put"), "1");
}

TYPED_TEST_P(EngineConformance, GetOverwritesTheString) {
    const auto store = this->open(1);
    put(*store, "short", "x");
    put(*store, "empty", "");
    std::string value(1000, 'y');
    ASSERT_TRUE(*store->get("short", value));
    EXPECT_EQ(value, "x");
    ASSERT_TRUE(*store->get("empty", value));
    EXPECT_EQ(value, "");
}

TYPED_TEST_P(EngineConformance, GetManyKeepsTheOrderOfTheKeys) {
    const auto store = this->open(1);
    fill(*store, {"a", "b", "c"});
    put(*store, "", "of the empty key");
    const std::vector<std::string> wanted{"c", "nothing", "a", "c", ""};
    const auto values = store->get_many(wanted);
    ASSERT_TRUE(values);
    ASSERT_EQ(values->size(), wanted.size());
    EXPECT_EQ((*values)[0], "value of c");
    EXPECT_EQ((*values)[1], std::nullopt);
    EXPECT_EQ((*values)[2], "value of a");
    EXPECT_EQ((*values)[3], "value of c");
    EXPECT_EQ((*values)[4], "of the empty key");
    const auto none = store->get_many({});
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->empty());
}

TYPED_TEST_P(EngineConformance, SnapshotDoesNotChange) {
    const auto store = this->open(1);
    fill(*store, {"a", "b"});
    const std::shared_ptr<const Reader> before = store->snapshot();
    WriteBatch batch;
    batch.put("a", "new");
    batch.remove("b");
    batch.put("c", "new");
    ASSERT_TRUE(store->commit(batch));
    EXPECT_EQ(entries(*before, everything(), Direction::kForward),
              (Entries{{"a", "value of a"}, {"b", "value of b"}}));
    EXPECT_EQ(value_of(*before, "a"), "value of a");
    EXPECT_EQ(value_of(*before, "c"), std::nullopt);
    const std::vector<std::string> wanted{"b", "c"};
    EXPECT_EQ(*before->get_many(wanted),
              (std::vector<std::optional<std::string>>{"value of b", std::nullopt}));
    EXPECT_EQ(entries(*store, everything(), Direction::kForward),
              (Entries{{"a", "new"}, {"c", "new"}}));
}

TYPED_TEST_P(EngineConformance, SnapshotsOfDifferentTimesCoexist) {
    const auto store = this->open(1);
    std::vector<std::shared_ptr<const Reader>> snapshots;
    for (int i = 0; i < 10; ++i) {
        put(*store, "k", std::to_string(i));
        snapshots.push_back(store->snapshot());
    }
    // Released in arbitrary order.
    snapshots.erase(snapshots.begin() + 3);
    snapshots.erase(snapshots.begin());
    put(*store, "k", "newest");
    EXPECT_EQ(value_of(*snapshots[0], "k"), "1");
    EXPECT_EQ(value_of(*snapshots[2], "k"), "4");
    EXPECT_EQ(value_of(*snapshots[7], "k"), "9");
    EXPECT_EQ(value_of(*store, "k"), "newest");
}

TYPED_TEST_P(EngineConformance, CursorStaysOnItsState) {
    const auto store = this->open(1);
    fill(*store, {"a", "b", "c"});
    const auto up = store->scan(everything(), Direction::kForward);
    const auto down = store->scan(everything(), Direction::kBackward);
    auto snapshot = store->snapshot();
    const auto of_snapshot = snapshot->scan(everything(), Direction::kForward);
    snapshot.reset();
    WriteBatch batch;
    batch.remove("b");
    batch.put("bb", "new");
    batch.put("0", "new");
    ASSERT_TRUE(store->commit(batch));
    std::string seen;
    for (Cursor* cursor : {up.get(), down.get(), of_snapshot.get()}) {
        for (; cursor->valid(); cursor->next()) {
            seen += cursor->key();
        }
        EXPECT_TRUE(cursor->status());
        seen += ' ';
    }
    EXPECT_EQ(seen, "abc cba abc ");
}

TYPED_TEST_P(EngineConformance, CursorSeeksForwardWithinItsRange) {
    const auto store = this->open(1);
    fill(*store, {"a", "b", "c", "d", "e"});
    fill(*this->open(2), {"a"});
    const auto up = store->scan(range("b", "e"), Direction::kForward);
    const auto down = store->scan(range("b", "e"), Direction::kBackward);
    const auto at = [](Cursor& cursor, std::string_view key) {
        cursor.seek(key);
        EXPECT_TRUE(cursor.status());
        return cursor.valid() ? std::string(cursor.key()) : "end";
    };
    EXPECT_EQ(at(*up, ""), "b");
    EXPECT_EQ(at(*up, "bb"), "c");
    EXPECT_EQ(at(*up, "a"), "c");
    EXPECT_EQ(at(*up, "c"), "c");
    up->next();
    EXPECT_EQ(at(*up, "d"), "d");
    EXPECT_EQ(at(*up, "dd"), "end");
    EXPECT_EQ(at(*up, "a"), "end");
    EXPECT_EQ(at(*down, "z"), "d");
    EXPECT_EQ(at(*down, "cc"), "c");
    EXPECT_EQ(at(*down, "d"), "c");
    EXPECT_EQ(at(*down, "b"), "b");
    EXPECT_EQ(at(*down, "a"), "end");
    EXPECT_EQ(at(*down, "c"), "end");
}

TYPED_TEST_P(EngineConformance, RangesIncludeTheirStartButNotTheirEnd) {
    const auto store = this->open(1);
    fill(*store, {"a", "ab", "b", "c"});
    for (const auto& [wanted, expected] :
         std::vector<std::pair<Range, std::string>>{{range("", std::nullopt), "a ab b c"},
                                                    {range("a", "c"), "a ab b"},
                                                    {range("ab", "b"), "ab"},
                                                    {range("aa", "bb"), "ab b"},
                                                    {range("b"), "b c"},
                                                    {range("c"), "c"},
                                                    {range("d"), ""},
                                                    {range("", "a"), ""},
                                                    {range("", ""), ""},
                                                    {range("b", "b"), ""},
                                                    {range("c", "a"), ""}}) {
        SCOPED_TRACE(wanted.from + " to " + wanted.until.value_or("the end"));
        EXPECT_EQ(keys(*store, wanted, Direction::kForward), expected);
        Entries backward = entries(*store, wanted, Direction::kBackward);
        std::reverse(backward.begin(), backward.end());
        EXPECT_EQ(backward, entries(*store, wanted, Direction::kForward));
    }
}

TYPED_TEST_P(EngineConformance, KeysAndValuesMayBeEmptyOrAnyBytes) {
    using namespace std::string_literals;
    const auto store = this->open(1);
    // In bytewise unsigned order.
    const std::vector<std::string> ordered{
        "", "\0"s, "\0\0"s, "\0\xff"s, "\x01", "a", "\x7f", "\x80", "\xff", "\xff\xff\xff\xff\xff"};
    WriteBatch batch;
    for (const std::string& key : ordered) {
        batch.put(key, key);
    }
    ASSERT_TRUE(store->commit(batch));
    std::vector<std::string> seen;
    for (const auto& [key, value] : entries(*store, everything(), Direction::kForward)) {
        EXPECT_EQ(key, value);
        seen.push_back(key);
    }
    EXPECT_EQ(seen, ordered);
    seen.clear();
    for (const auto& [key, value] : entries(*store, everything(), Direction::kBackward)) {
        seen.insert(seen.begin(), key);
    }
    EXPECT_EQ(seen, ordered);
    EXPECT_EQ(value_of(*store, ""), "");
    EXPECT_EQ(entries(*store, range("\xff"), Direction::kBackward).size(), 2U);
    batch.clear();
    batch.remove("");
    ASSERT_TRUE(store->commit(batch));
    EXPECT_EQ(value_of(*store, ""), std::nullopt);
}

TYPED_TEST_P(EngineConformance, StoresTwoMegabyteValuesAndLongKeys) {
    auto store = this->open(1);
    std::mt19937 random(1);
    std::string large(std::size_t{2} << 20, '\0');
    for (char& c : large) {
        c = static_cast<char>(random());
    }
    const std::string long_key(4000, 'k');
    WriteBatch batch;
    batch.put("large", large);
    batch.put(long_key, "of the long key");
    ASSERT_TRUE(store->commit(batch));
    EXPECT_TRUE(value_of(*store, "large") == large);
    EXPECT_EQ(value_of(*store, long_key), "of the long key");
    store.reset();
    this->harness_.reopen();
    store = this->open(1);
    EXPECT_TRUE(value_of(*store, "large") == large);
    EXPECT_EQ(value_of(*store, long_key), "of the long key");
}

TYPED_TEST_P(EngineConformance, PartitionsDoNotSeeEachOther) {
    const std::vector<PartitionId> ids{0, 1, 2, 255, 256, 0x7fffffff, 0xfffffffe, 0xffffffff};
    const std::string edge("\xff\xff\xff\xff\xff");
    for (const PartitionId id : ids) {
        const auto store = this->open(id);
        for (const std::string& key : {std::string(), std::string("k"), edge}) {
            put(*store, key, std::to_string(id));
        }
    }
    for (const PartitionId id : ids) {
        SCOPED_TRACE(id);
        const auto store = this->open(id);
        const std::string own = std::to_string(id);
        const Entries expected{{"", own}, {"k", own}, {edge, own}};
        EXPECT_EQ(entries(*store, everything(), Direction::kForward), expected);
        EXPECT_EQ(entries(*store, everything(), Direction::kBackward),
                  Entries(expected.rbegin(), expected.rend()));
        EXPECT_EQ(keys(*store, range("z"), Direction::kBackward), edge);
    }
}

TYPED_TEST_P(EngineConformance, TwoHandlesSeeTheSameData) {
    const auto one = this->open(1);
    const auto other = this->open(1);
    put(*one, "a", "1");
    EXPECT_EQ(value_of(*other, "a"), "1");
    put(*other, "a", "2");
    EXPECT_EQ(value_of(*one, "a"), "2");
}

TYPED_TEST_P(EngineConformance, DropRemovesOnePartitionPermanently) {
    const std::vector<PartitionId> ids{6, 7, 8, 0xffffffff};
    for (const PartitionId id : ids) {
        const auto store = this->open(id);
        fill(*store, {"", "a", "\xff\xff\xff\xff\xff"});
    }
    for (const PartitionId id : {PartitionId{7}, PartitionId{0xffffffff}}) {
        ASSERT_TRUE(this->harness_.engine().drop(id));
        EXPECT_TRUE(this->harness_.engine().drop(id)) << "dropping again must succeed";
    }
    EXPECT_TRUE(this->harness_.engine().drop(99)) << "dropping an unknown partition must succeed";
    this->harness_.reopen();
    EXPECT_EQ(entries(*this->open(6), everything(), Direction::kForward).size(), 3U);
    EXPECT_EQ(entries(*this->open(7), everything(), Direction::kForward).size(), 0U);
    EXPECT_EQ(entries(*this->open(8), everything(), Direction::kForward).size(), 3U);
    EXPECT_EQ(entries(*this->open(0xffffffff), everything(), Direction::kBackward).size(), 0U);
}

TYPED_TEST_P(EngineConformance, CommittedDataSurvivesReopening) {
    for (int round = 0; round < 3; ++round) {
        const auto store = this->open(1);
        for (int i = 0; i < round; ++i) {
            EXPECT_EQ(value_of(*store, std::to_string(i)), "round " + std::to_string(i));
        }
        EXPECT_EQ(value_of(*store, "counter").value_or("none"),
                  round == 0 ? "none" : std::to_string(round - 1));
        WriteBatch batch;
        batch.put(std::to_string(round), "round " + std::to_string(round));
        batch.put("counter", std::to_string(round));
        ASSERT_TRUE(store->commit(batch));
    }
    this->harness_.reopen();
    EXPECT_EQ(keys(*this->open(1), everything()), "0 1 2 counter");
}

TYPED_TEST_P(EngineConformance, SizeOnDiskGrowsWithTheData) {
    const auto store = this->open(1);
    const std::uint64_t before = this->harness_.engine().size_on_disk();
    put(*store, "large", std::string(1 << 20, 'x'));
    EXPECT_GE(this->harness_.engine().size_on_disk(), before + (1 << 20));
}

// Each commit writes one number under the first and the last key; a reader must never see two
// different numbers, nor an older one than before.
TYPED_TEST_P(EngineConformance, ReadersDuringCommitsSeeWholeBatches) {
    constexpr int kCommits = 200;
    const auto store = this->open(1);
    std::atomic<bool> done{false};
    std::atomic<int> torn{0};
    const auto read = [&] {
        int last = 0;
        const std::vector<std::string> both{"a", "z"};
        while (!done) {
            const auto pair = store->get_many(both);
            const auto snapshot = store->snapshot();
            const Entries all = entries(*snapshot, everything(), Direction::kForward);
            const bool whole = (*pair)[0] == (*pair)[1] &&
                               (all.empty() || (all.size() == 3 && all[0].second == all[2].second));
            const int seen = all.empty() ? 0 : std::stoi(all[0].second);
            if (!whole || seen < last) ++torn;
            last = seen;
        }
    };
    std::thread one(read);
    std::thread other(read);
    const auto neighbour = this->open(2);
    std::thread writer([&] {
        for (int i = 0; i < kCommits; ++i) {
            put(*neighbour, "a", "not yours");
        }
    });
    for (int i = 1; i <= kCommits; ++i) {
        WriteBatch batch;
        batch.put("a", std::to_string(i));
        batch.put("m", std::string(static_cast<std::size_t>(i) * 10, 'x'));
        batch.put("z", std::to_string(i));
        EXPECT_TRUE(store->commit(batch));
    }
    done = true;
    one.join();
    other.join();
    writer.join();
    EXPECT_EQ(torn, 0);
}

TYPED_TEST_P(EngineConformance, AgreesWithAMapUnderRandomOperations) {
    const unsigned seed = test_seed();
    SCOPED_TRACE("ORRERY_TEST_SEED=" + std::to_string(seed));
    std::mt19937 random(seed);
    // Ids are never reused after a drop, so each slot moves on to the next one.
    std::vector<PartitionId> ids{0, 1, 2};
    PartitionId next_id = 3;
    std::map<PartitionId, Model> models;
    std::vector<std::pair<std::shared_ptr<const Reader>, Model>> snapshots;
    for (int step = 0; step < 400; ++step) {
        PartitionId& id = ids[random() % ids.size()];
        switch (random() % 16) {
            case 0:
                snapshots.emplace_back(this->open(id)->snapshot(), models[id]);
                break;
            case 1:
                if (!snapshots.empty()) {
                    snapshots.erase(snapshots.begin() +
                                    static_cast<std::ptrdiff_t>(random() % snapshots.size()));
                }
                break;
            case 2:
                if (random() % 4 != 0) break;
                snapshots.clear();
                this->harness_.reopen();
                break;
            case 3:
                if (random() % 4 != 0) break;
                snapshots.clear();
                ASSERT_TRUE(this->harness_.engine().drop(id));
                id = next_id++;
                break;
            default:
                commit_random_batch(random, *this->open(id), models[id]);
        }
        expect_same(random, *this->open(id), models[id]);
        if (!snapshots.empty()) {
            const auto& [reader, then] = snapshots[random() % snapshots.size()];
            expect_same(random, *reader, then);
        }
        ASSERT_FALSE(this->HasFailure()) << "step " << step;
    }
}

REGISTER_TYPED_TEST_SUITE_P(EngineConformance,
                            NewPartitionIsEmpty,
                            AppliesBatchesAtomically,
                            EmptyBatchSucceeds,
                            LastOperationOnAKeyWins,
                            GetOverwritesTheString,
                            GetManyKeepsTheOrderOfTheKeys,
                            SnapshotDoesNotChange,
                            SnapshotsOfDifferentTimesCoexist,
                            CursorStaysOnItsState,
                            CursorSeeksForwardWithinItsRange,
                            RangesIncludeTheirStartButNotTheirEnd,
                            KeysAndValuesMayBeEmptyOrAnyBytes,
                            StoresTwoMegabyteValuesAndLongKeys,
                            PartitionsDoNotSeeEachOther,
                            TwoHandlesSeeTheSameData,
                            DropRemovesOnePartitionPermanently,
                            CommittedDataSurvivesReopening,
                            SizeOnDiskGrowsWithTheData,
                            ReadersDuringCommitsSeeWholeBatches,
                            AgreesWithAMapUnderRandomOperations);

template <typename Harness>
class EngineFencing : public EngineConformance<Harness> {};

TYPED_TEST_SUITE_P(EngineFencing);

TYPED_TEST_P(EngineFencing, FencedPartitionRefusesCommits) {
    const auto store = this->open(1);
    put(*store, "a", "before");
    this->harness_.fence(1);
    for (int i = 0; i < 3; ++i) {
        WriteBatch batch;
        batch.put("a", "after");
        batch.put("b", "after");
        const Status status = store->commit(batch);
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code(), ErrorCode::kFenced) << status.error().message();
    }
    EXPECT_EQ(value_of(*store, "a"), "before");
    EXPECT_EQ(value_of(*store, "b"), std::nullopt);
    EXPECT_TRUE(store->commit(WriteBatch())) << "an empty batch does not touch the medium";
}

REGISTER_TYPED_TEST_SUITE_P(EngineFencing, FencedPartitionRefusesCommits);

}  // namespace orrery::storage::conformance
