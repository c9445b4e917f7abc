#include "sql/functions/documentation.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace orrery::sql {
namespace documentation_test {

TEST(FunctionDocumentation, PageIsUpToDate) {
    const char* const path = ORRERY_SOURCE_DIR "/docs/sql-functions.md";
    if (std::getenv("ORRERY_REWRITE_DOCS") != nullptr) {
        std::ofstream(path) << function_documentation();
    }
    std::stringstream page;
    page << std::ifstream(path).rdbuf();
    EXPECT_EQ(page.str(), function_documentation())
        << "regenerate it with ORRERY_REWRITE_DOCS=1 build/dev/sql_test "
           "--gtest_filter=FunctionDocumentation.*";
}

}  // namespace documentation_test
}  // namespace orrery::sql
