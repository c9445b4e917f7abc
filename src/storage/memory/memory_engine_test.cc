#include "storage/memory/memory_engine.h"

#include "storage/engine_commit_conformance.h"

namespace orrery::storage {
namespace memory_engine_test {

class MemoryHarness {
public:
    MemoryEngine& engine() { return engine_; }
    // Nothing to do: the data lives in the engine, and the handles have been released.
    void reopen() {}
    void fence(PartitionId id) { engine_.fence(id); }

private:
    MemoryEngine engine_;
};

}  // namespace memory_engine_test

namespace conformance {
namespace memory_engine_test {

using storage::memory_engine_test::MemoryHarness;

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EngineConformance, MemoryHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EngineWithoutWaiting, MemoryHarness);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EngineFencing, MemoryHarness);

TEST(MemoryEngine, FencesOnePartitionOnly) {
    MemoryEngine engine;
    const auto fenced = engine.open(1);
    const auto other = engine.open(2);
    engine.fence(1);
    WriteBatch batch;
    batch.put("a", "1");
    EXPECT_FALSE((*fenced)->commit(batch));
    EXPECT_TRUE((*other)->commit(batch));
}

TEST(MemoryEngine, DropsOldVersionsWithTheLastSnapshot) {
    MemoryEngine engine;
    const auto store = engine.open(1);
    put(**store, "a", std::string(100, 'x'));
    put(**store, "b", std::string(100, 'x'));
    auto first = (*store)->snapshot();
    auto second = (*store)->snapshot();
    put(**store, "a", "");
    WriteBatch batch;
    batch.remove("b");
    ASSERT_TRUE((*store)->commit(batch));
    EXPECT_GE(engine.size_on_disk(), 200U);
    first.reset();
    EXPECT_GE(engine.size_on_disk(), 200U);
    second.reset();
    EXPECT_EQ(engine.size_on_disk(), 1U);
}

}  // namespace memory_engine_test
}  // namespace conformance
}  // namespace orrery::storage
