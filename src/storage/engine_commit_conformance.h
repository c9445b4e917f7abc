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

REGISTER_TYPED_TEST_SUITE_P(EngineWithoutWaiting,
                            CommitsOfManyPartitionsNeedOneThread,
                            ReadsFromMemoryAreRightOrWouldBlock);

}  // namespace orrery::storage::conformance
