#include "storage/engine_commit_conformance.h"
#include "storage/rados/rados_test_support.h"

namespace orrery::storage {
namespace rados_engine_cluster_test {

using namespace testing_support;  // NOLINT: a test

// Small memtables, so that the suite also reads from files.
constexpr std::size_t kWriteBufferBytes = 64 << 10;

class RadosHarness {
public:
    RadosHarness() { reopen(); }

    Engine& engine() { return *engine_; }

    // As a process that starts anew.
    void reopen() {
        engine_.reset();
        engine_ = make("node/" + std::to_string(++incarnation_));
    }

    void fence(PartitionId id) {
        const auto owner = engine_->owner_of(id);
        ASSERT_TRUE(owner && *owner);
        other_ = make("other/1");
        ASSERT_TRUE(other_->acquire(id, (*owner)->name));
    }

private:
    std::unique_ptr<OwnedEngine> make(const std::string& owner) {
        return make_rados_engine(
            pool_, clock_, {.owner = owner, .write_buffer_bytes = kWriteBufferBytes});
    }

    SystemClock clock_;
    std::shared_ptr<RadosPool> pool_ = connect(rados_options(new_name_space()));
    int incarnation_ = 0;
    std::unique_ptr<OwnedEngine> engine_;
    std::unique_ptr<OwnedEngine> other_;
};

}  // namespace rados_engine_cluster_test

namespace conformance {
namespace rados_engine_cluster_test {

using Harness = storage::rados_engine_cluster_test::RadosHarness;

INSTANTIATE_TYPED_TEST_SUITE_P(Rados, EngineConformance, Harness);
INSTANTIATE_TYPED_TEST_SUITE_P(Rados, EngineWithoutWaiting, Harness);
INSTANTIATE_TYPED_TEST_SUITE_P(Rados, EngineFencing, Harness);

}  // namespace rados_engine_cluster_test
}  // namespace conformance
}  // namespace orrery::storage
