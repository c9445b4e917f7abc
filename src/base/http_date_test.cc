#include "base/http_date.h"

#include <gtest/gtest.h>

namespace orrery {
namespace http_date_test {

TEST(HttpDate, KnownInstants) {
    const std::pair<std::int64_t, const char*> instants[] = {
        {0, "Thu, 01 Jan 1970 00:00:00 GMT"},
        {784887151, "Tue, 15 Nov 1994 08:12:31 GMT"},
        {951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
        {1709164799, "Wed, 28 Feb 2024 23:59:59 GMT"},
        {-1, "Wed, 31 Dec 1969 23:59:59 GMT"},
        {253402300799, "Fri, 31 Dec 9999 23:59:59 GMT"},
    };
    for (const auto& [seconds, text] : instants) {
        EXPECT_EQ(print_http_date(seconds), text);
        EXPECT_EQ(parse_http_date(text), seconds) << text;
    }
}

TEST(HttpDate, CaseDoesNotMatter) {
    EXPECT_EQ(parse_http_date("tue, 15 nov 1994 08:12:31 gmt"), 784887151);
    EXPECT_EQ(parse_http_date("TUE, 15 NOV 1994 08:12:31 GMT"), 784887151);
}

TEST(HttpDate, EveryDayOfFourYearsRoundTrips) {
    for (std::int64_t day = 0; day < 4 * 366; ++day) {
        const std::int64_t seconds = 1672531200 + day * 86400 + day * 59;
        EXPECT_EQ(parse_http_date(print_http_date(seconds)), seconds);
    }
}

TEST(HttpDate, RefusesEverythingElse) {
    for (const char* text : {"",
                             "Tue, 15 Nov 1994 08:12:31",
                             "Tue, 15 Nov 1994 08:12:31 UTC",
                             "Tue, 15 Nov 1994 08:12:31 GMT ",
                             " Tue, 15 Nov 1994 08:12:31 GMT",
                             "Tue,  15 Nov 1994 08:12:31 GMT",
                             "Wed, 15 Nov 1994 08:12:31 GMT",
                             "Tue, 5 Nov 1994 08:12:31 GMT",
                             "Tue, 15 Nov 94 08:12:31 GMT",
                             "Tue, 15 Foo 1994 08:12:31 GMT",
                             "Tue, 15 Nov 1994 24:12:31 GMT",
                             "Tue, 15 Nov 1994 08:60:31 GMT",
                             "Tue, 15 Nov 1994 08:12:60 GMT",
                             "Tue, 00 Nov 1994 08:12:31 GMT",
                             "Wed, 29 Feb 2023 00:00:00 GMT",
                             "Sat, 01 Jan 0000 00:00:00 GMT",
                             "Tue, 1a Nov 1994 08:12:31 GMT",
                             "Tue, -5 Nov 1994 08:12:31 GMT",
                             "1994-11-15T08:12:31Z",
                             "Tuesday, 15-Nov-94 08:12:31 GMT",
                             "Tue Nov 15 08:12:31 1994"}) {
        EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
    }
}

}  // namespace http_date_test
}  // namespace orrery
