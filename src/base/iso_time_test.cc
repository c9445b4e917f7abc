#include "base/iso_time.h"

#include <gtest/gtest.h>

namespace orrery {
namespace iso_time_test {

TEST(IsoTime, PrintsAndParses) {
    EXPECT_EQ(print_iso_time(0), "1970-01-01T00:00:00.000000Z");
    EXPECT_EQ(print_iso_time(1'772'373'779'500'001), "2026-03-01T14:02:59.500001Z");
    EXPECT_EQ(print_iso_time(-1), "1969-12-31T23:59:59.999999Z");
    for (const std::int64_t time : {0L, 1L, -1L, 951'782'400'000'000L, 1'772'373'779'500'001L}) {
        EXPECT_EQ(parse_iso_time(print_iso_time(time)), time);
    }
}

TEST(IsoTime, DecimalsAreOptional) {
    EXPECT_EQ(parse_iso_time("1970-01-01T00:00:01Z"), 1'000'000);
    EXPECT_EQ(parse_iso_time("1970-01-01T00:00:01.5Z"), 1'500'000);
    EXPECT_EQ(parse_iso_time("1970-01-01T00:00:01.000007Z"), 1'000'007);
}

TEST(IsoTime, RefusesAnythingElse) {
    for (const char* text : {"",
                             "2026-03-01",
                             "2026-03-01T14:02:59",
                             "2026-03-01T14:02:59+01:00",
                             "2026-03-01 14:02:59Z",
                             "2026-02-29T00:00:00Z",
                             "2026-13-01T00:00:00Z",
                             "2026-03-01T24:00:00Z",
                             "2026-03-01T14:02:60Z",
                             "2026-03-01T14:02:59.Z",
                             "2026-03-01T14:02:59.1234567Z",
                             "2026-3-1T14:02:59Z",
                             "0000-01-01T00:00:00Z",
                             "2026-03-01T14:02:59Z "}) {
        EXPECT_EQ(parse_iso_time(text), std::nullopt) << text;
    }
}

}  // namespace iso_time_test
}  // namespace orrery
