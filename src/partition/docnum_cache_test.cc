#include "partition/docnum_cache.h"

#include <gtest/gtest.h>

namespace orrery::partition {
namespace docnum_cache_test {

TEST(DocnumCache, FindsRememberedEntries) {
    DocnumCache cache(4);
    EXPECT_EQ(cache.find(1), std::nullopt);
    cache.remember(1, 10);
    cache.remember(2, 20);
    EXPECT_EQ(cache.find(1), 10U);
    EXPECT_EQ(cache.find(2), 20U);
    cache.remember(1, 11);
    EXPECT_EQ(cache.find(1), 11U);
}

TEST(DocnumCache, EntriesEvictEachOther) {
    DocnumCache cache(4);
    cache.remember(1, 10);
    cache.remember(5, 50);
    EXPECT_EQ(cache.find(1), std::nullopt);
    EXPECT_EQ(cache.find(5), 50U);
}

TEST(DocnumCache, EmptyEntryIsNotFound) {
    const DocnumCache cache(4);
    EXPECT_EQ(cache.find(0), std::nullopt);
}

}  // namespace docnum_cache_test
}  // namespace orrery::partition
