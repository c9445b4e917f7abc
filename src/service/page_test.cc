#include "service/page.h"

#include <limits>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace page_test {

using testing_support::code_of;

Result<std::size_t> size_of(std::optional<std::string_view> header) {
    Request request;
    request.max_item_count = header;
    return page_size(request);
}

TEST(PageSize, AbsentAndZeroMeanTheDefault) {
    EXPECT_EQ(*size_of(std::nullopt), 100U);
    EXPECT_EQ(*size_of("0"), 100U);
}

TEST(PageSize, MinusOneMeansNoLimit) {
    EXPECT_EQ(*size_of("-1"), std::numeric_limits<std::size_t>::max());
}

TEST(PageSize, AcceptsIntegers) {
    EXPECT_EQ(*size_of("1"), 1U);
    EXPECT_EQ(*size_of("1000"), 1000U);
    EXPECT_EQ(*size_of("2147483647"), 2147483647U);
}

TEST(PageSize, RefusesAnythingElse) {
    for (const char* bad : {"",
                            " ",
                            "-2",
                            "-100",
                            "1.5",
                            "1e3",
                            "ten",
                            "10 ",
                            " 10",
                            "+10",
                            "0x10",
                            "2147483648",
                            "99999999999999999999",
                            "--1"}) {
        EXPECT_EQ(code_of(size_of(bad)), "400") << bad;
    }
}

}  // namespace page_test
}  // namespace orrery::service
