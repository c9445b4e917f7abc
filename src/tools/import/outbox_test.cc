#include "tools/import/outbox.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace outbox_test {

Outgoing item(Window::Ticket ticket, std::size_t bytes = 10) {
    return {.ticket = ticket,
            .item = {.id = {}, .json = std::string(bytes, 'x'), .partition_key = {}, .epk = {}}};
}

TEST(OutboxTest, ReleasesFullBatchesOfARange) {
    Outbox outbox;
    for (std::size_t i = 0; i < kBatchItemsMax; ++i) {
        outbox.add("1", item(i));
        if (i < 3) outbox.add("0", item(1000 + i));
    }
    auto full = outbox.take();
    ASSERT_TRUE(full);
    EXPECT_EQ(full->size(), kBatchItemsMax);
    EXPECT_EQ(full->back().ticket, kBatchItemsMax - 1);
    outbox.close();
    EXPECT_EQ(outbox.take()->size(), 3U);
    EXPECT_FALSE(outbox.take());
}

TEST(OutboxTest, LimitsTheBytesOfABatch) {
    Outbox outbox;
    outbox.add("0", item(0, kBatchItemBytesMax / 2));
    outbox.add("0", item(1, kBatchItemBytesMax / 2));
    EXPECT_EQ(outbox.take()->size(), 1U);
    outbox.add("0", item(2, kBatchItemBytesMax + 1));  // alone, as it does not fit
    EXPECT_EQ(outbox.take()->front().ticket, 1U);
    outbox.flush();
    EXPECT_EQ(outbox.take()->front().ticket, 2U);
}

TEST(OutboxTest, FlushesAndStops) {
    Outbox outbox;
    outbox.add("0", item(0));
    outbox.add("1", item(1));
    outbox.flush();
    EXPECT_EQ(outbox.take()->size(), 1U);
    outbox.stop();
    EXPECT_FALSE(outbox.take());
    outbox.add("0", item(2));
    outbox.flush();
    EXPECT_FALSE(outbox.take());
}

}  // namespace outbox_test
}  // namespace orrery::tools
