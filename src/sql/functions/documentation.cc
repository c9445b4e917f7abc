#include "sql/functions/documentation.h"

#include <fmt/format.h>

#include "sql/functions/function.h"
#include "sql/functions/groups.h"

namespace orrery::sql {

namespace {

constexpr std::string_view kIntroduction =
    "# Functions of the query language\n"
    "\n"
    "Made from the function table in `src/sql/functions`; every example is a test. To write it "
    "anew:\n"
    "`ORRERY_REWRITE_DOCS=1 build/dev/sql_test --gtest_filter=FunctionDocumentation.*`\n"
    "\n"
    "Names may be written in any case. Unless the text says otherwise, an argument that is "
    "undefined "
    "or of another\n"
    "kind than the function takes makes the result undefined. Positions and lengths of strings "
    "count "
    "UTF-16 code\n"
    "units; half of a surrogate pair becomes U+FFFD. Times are UTC strings such as "
    "`2017-04-20T13:15:20.3456789Z`;\n"
    "their parts are called year (`yyyy`, `yy`), month (`mm`, `m`), day (`dd`, `d`), hour (`hh`), "
    "minute (`mi`,\n"
    "`n`), second (`ss`, `s`), millisecond (`ms`), microsecond (`mcs`) and nanosecond (`ns`).\n";

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
