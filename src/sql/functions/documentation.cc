#include "sql/functions/documentation.h"

#include <fmt/format.h>

#include "sql/functions/function.h"
#include "sql/functions/groups.h"

namespace orrery::sql {

namespace {

constexpr std::string_view kIntroduction =
    "# Functions of the query language\n"
    "\n"
    "Generated from the function table in `src/sql/functions`; every example is a test. "
    "To regenerate:\n"
    "`ORRERY_REWRITE_DOCS=1 build/dev/sql_test --gtest_filter=FunctionDocumentation.*`\n"
    "\n"
    "Names are case-insensitive. Unless stated otherwise, the result is undefined when an argument "
    "is undefined or of\n"
    "a kind that the function does not take. String positions and lengths count UTF-16 code units; "
    "half of a\n"
    "surrogate pair becomes U+FFFD. Times are UTC strings such as `2017-04-20T13:15:20.3456789Z`; "
    "their parts are\n"
    "year (`yyyy`, `yy`), month (`mm`, `m`), day (`dd`, `d`), hour (`hh`), minute (`mi`, `n`), "
    "second (`ss`, `s`),\n"
    "millisecond (`ms`), microsecond (`mcs`) and nanosecond (`ns`).\n";

// A vertical bar would end the cell.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string row(const Function& function) {
    const std::string_view result =
        function.example.result.empty() ? "undefined" : function.example.result;
    return fmt::format("| `{}` | {} | `{}` → `{}` |\n",
                       cell(function.signature),
                       cell(function.doc),
                       cell(function.example.expression),
                       cell(result));
}

}  // namespace

std::string function_documentation() {
    std::string out(kIntroduction);
    for (const FunctionGroup& group : function_groups()) {
        out +=
            fmt::format("\n## {}\n\n| function | result | example |\n|---|---|---|\n", group.title);
        for (const Function& function : group.functions) {
            out += row(function);
        }
    }
    out += "\n## Other names\n\n| name | function |\n|---|---|\n";
    for (const Alias& alias : function_aliases()) {
        out += fmt::format("| `{}` | `{}` |\n", alias.name, alias.function);
    }
    return out;
}

}  // namespace orrery::sql
