#include "service/lookup.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace lookup_test {

using model::testing_support::must;
using testing_support::Services;
using testing_support::ServiceTest;

constexpr ApiVersion kNewest = kPartitionedContainers;

class LookupTest : public ServiceTest {
protected:
    Result<FoundContainer> find(std::string_view container, ApiVersion version = kNewest) const {
        return find_container(
            *services_.catalog, {.database = "d", .container = container}, version);
    }
};

TEST_F(LookupTest, FindsWhatTheCatalogHasNow) {
    const catalog::ContainerPtr first = services_.container();
    const std::string name = first->definition.id;
    EXPECT_EQ(must(find(name)).container.get(), first.get());
    EXPECT_EQ(must(find(name)).container.get(), first.get());  // remembered

    ASSERT_TRUE(services_.catalog->remove_container(first->rid, std::nullopt));
    EXPECT_FALSE(find(name));

    const catalog::ContainerPtr second = services_.container();
    EXPECT_EQ(must(find(name)).container.get(), second.get());
    EXPECT_NE(first->rid, second->rid);
}

TEST_F(LookupTest, AnotherCatalogIsAnotherEdition) {
    const std::string name = services_.container()->definition.id;
    must(find(name));
    storage::MemoryEngine engine;
    Services other(engine, clock_);
    ASSERT_TRUE(other.start());
    EXPECT_FALSE(find_container(*other.catalog, {.database = "d", .container = name}, kNewest));
}

TEST_F(LookupTest, SegmentsAreNotConfused) {
    const std::string name = services_.container()->definition.id;
    must(find(name));
    EXPECT_FALSE(find_container(*services_.catalog,
                                {.database = "d" + name.substr(0, 1), .container = name.substr(1)},
                                kNewest));
}

TEST_F(LookupTest, OtherThreadsSeeAChangeThatWasMade) {
    const catalog::ContainerPtr first = services_.container();
    const std::string name = first->definition.id;
    std::atomic<int> step = 0;
    std::thread other([&] {
        EXPECT_EQ(must(find(name)).container.get(), first.get());
        step = 1;
        while (step != 2)
            std::this_thread::yield();
        EXPECT_FALSE(find(name));
    });
    while (step != 1)
        std::this_thread::yield();
    ASSERT_TRUE(services_.catalog->remove_container(first->rid, std::nullopt));
    step = 2;
    other.join();
}

TEST_F(LookupTest, OldClientsDoNotSeeWhatNewOnesHaveFound) {
    const std::string name = services_.container()->definition.id;
    must(find(name));
    EXPECT_FALSE(find(name, kPartitionedContainers - 1));
}

}  // namespace lookup_test
}  // namespace orrery::service
