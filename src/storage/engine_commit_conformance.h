// The part of the engine contract (engine.h) about not waiting; see engine_conformance.h.

#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "storage/engine_conformance.h"

namespace orrery::storage::conformance {

template <typename Harness>
class EngineWithoutWaiting : public EngineConformance<Harness> {};

TYPED_TEST_SUITE_P(EngineWithoutWaiting);

TYPED_TEST_P(EngineWithoutWaiting, CommitsOfManyPartitionsNeedOneThread) {
    constexpr PartitionId kPartitions = 50;
    std::vector<std::shared_ptr<PartitionStore>> stores;
    std::vector<WriteBatch> batches(kPartitions);
    std::atomic<unsigned> done = 0;
    std::atomic<unsigned> failed = 0;
    for (PartitionId i = 0; i < kPartitions; ++i) {
        stores.push_back(this->open(i + 1));
        batches[i].put("key", std::to_string(i));
        batches[i].put("second", "");
        batches[i].remove("second");
        stores[i]->start_commit(batches[i], [&](const Status& status) {
            failed += status ? 0 : 1;
            ++done;
        });
    }
    while (done < kPartitions) {
        std::this_thread::yield();
    }
    EXPECT_EQ(failed, 0U);
    for (PartitionId i = 0; i < kPartitions; ++i) {
        EXPECT_EQ(entries(*stores[i], everything(), Direction::kForward),
                  (Entries{{"key", std::to_string(i)}}));
    }
}

TYPED_TEST_P(EngineWithoutWaiting, ReadsFromMemoryAreRightOrWouldBlock) {
    const auto store = this->open(1);
    fill(*store, {"a"});
    std::string value;
    for (const auto& [key, exists] : {std::pair("a", true), std::pair("b", false)}) {
        const auto found = store->get_from_memory(key, value);
        if (found) {
            EXPECT_EQ(*found, exists);
        } else {
            EXPECT_EQ(found.error().code(), ErrorCode::kWouldBlock);
        }
    }
}

TYPED_TEST_P(EngineWithoutWaiting, SnapshotsInMemoryAreRightOrWouldBlock) {
    const auto store = this->open(1);
    fill(*store, {"a", "b", "c"});
    const auto snapshot = store->snapshot_in_memory();
    fill(*store, {"d"});
    std::string value;
    const auto got = snapshot->get("b", value);
    EXPECT_TRUE(got ? *got : got.error().code() == ErrorCode::kWouldBlock);
    std::string keys;
    const auto cursor = snapshot->scan(everything(), Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        keys += cursor->key();
    }
    const Status status = cursor->status();
    if (status) {
        EXPECT_EQ(keys, "abc");
    } else {
        EXPECT_EQ(status.error().code(), ErrorCode::kWouldBlock);
    }
}

REGISTER_TYPED_TEST_SUITE_P(EngineWithoutWaiting,
                            CommitsOfManyPartitionsNeedOneThread,
                            ReadsFromMemoryAreRightOrWouldBlock,
                            SnapshotsInMemoryAreRightOrWouldBlock);

}  // namespace orrery::storage::conformance
