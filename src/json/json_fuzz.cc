// Text that the scan accepts must survive printing, scanning again and minifying.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "json/capture.h"
#include "json/value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using orrery::json::Value;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    orrery::json::PathSet paths;
    paths.add({"id"});
    paths.add({"a", "b"});
    const auto captured = orrery::json::capture(text, paths);
    const auto value = Value::parse(text);
    if (captured) CHECK(static_cast<bool>(value));
    if (!value) return 0;
    const auto minified = orrery::json::minify(text);
    CHECK(minified.has_value());
    const auto again = Value::parse(*minified);
    CHECK(static_cast<bool>(again));
    CHECK(again->text() == value->text());
    CHECK(Value::parse(value->text())->text() == value->text());
    return 0;
}
