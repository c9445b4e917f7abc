// Every query stays the same when it is printed and parsed again.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "sql/parser.h"
#include "sql/printer.h"
#include "sql/structure.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto query = orrery::sql::parse(text);
    if (!query) {
        CHECK(query.error().message().starts_with("{\"errors\":["));
        return 0;
    }
    const std::string printed = orrery::sql::print(**query);
    const auto again = orrery::sql::parse(printed);
    // Parentheses and indentation may take the text over its limit; nothing else may fail.
    if (!again) {
        CHECK(again.error().message().find("SC3020") != std::string::npos);
        return 0;
    }
    CHECK(orrery::sql::same_structure(**query, **again));
    CHECK(orrery::sql::print(**again) == printed);
    return 0;
}
