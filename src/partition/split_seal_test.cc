#include "partition/split_seal.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::partition {
namespace split_seal_test {

TEST(SplitSealTest, NamesTheSuccessors) {
    const std::string value = encode_seal({5, 0x01020304});
    EXPECT_EQ(value, std::string("\0\0\0\5\1\2\3\4", 8));
    EXPECT_THAT(*decode_seal(value), testing::ElementsAre(5U, 0x01020304U));
    EXPECT_FALSE(decode_seal("12345"));
}

}  // namespace split_seal_test
}  // namespace orrery::partition
