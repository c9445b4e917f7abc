#include "throughput/documentation.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace orrery::throughput {
namespace documentation_test {

TEST(ChargeDocumentation, PageIsUpToDate) {
    const char* const path = ORRERY_SOURCE_DIR "/docs/request-units.md";
    if (std::getenv("ORRERY_REWRITE_DOCS") != nullptr) {
        std::ofstream(path) << charge_documentation();
    }
    std::stringstream page;
    page << std::ifstream(path).rdbuf();
    EXPECT_EQ(page.str(), charge_documentation())
        << "regenerate it with ORRERY_REWRITE_DOCS=1 build/dev/throughput_test "
           "--gtest_filter=ChargeDocumentation.*";
}

}  // namespace documentation_test
}  // namespace orrery::throughput
