#include "server/memory.h"

#include <fstream>

#include <gtest/gtest.h>

#include "storage/temporary_directory.h"

namespace orrery::server {
namespace memory_test {

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;

std::uint64_t usable_with(const std::string& limit) {
    const storage::TemporaryDirectory directory;
    std::ofstream(directory / "memory.max") << limit << "\n";
    return usable_memory_bytes(directory.path().string());
}

TEST(MemoryTest, ControlGroupLimitsMemory) {
    const std::uint64_t machine = usable_memory_bytes("/nowhere");
    EXPECT_GT(machine, kGigabyte / 4);
    EXPECT_EQ(usable_with("134217728"), 134'217'728U);
    EXPECT_EQ(usable_with("max"), machine);
    EXPECT_EQ(usable_with("9000000000000000000"), machine);
}

TEST(MemoryTest, CacheIsAQuarter) {
    EXPECT_EQ(default_cache_mb(8 * kGigabyte), 2048U);
    EXPECT_EQ(default_cache_mb(kGigabyte / 16), 64U);
    EXPECT_EQ(default_cache_mb(~std::uint64_t{0}), 1'000'000U);
}

}  // namespace memory_test
}  // namespace orrery::server
