// A patch, a newline, an item: whatever the patch does, the result must be valid JSON.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "json/scan.h"
#include "json/text.h"
#include "model/patch.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t end = input.find('\n');
    if (end == std::string_view::npos) return 0;
    const auto patch = orrery::model::parse_patch(input.substr(0, end));
    if (!patch) return 0;
    const auto item = orrery::json::minify(input.substr(end + 1));
    if (!item || !item->starts_with('{') || !orrery::json::check(*item)) return 0;
    const auto patched = orrery::model::apply_patch(*patch, *item);
    // Inserted values may nest deeper than an item allows; the caller refuses that.
    if (patched) CHECK(orrery::json::check(*patched, 4 * orrery::json::kDepthMax));
    return 0;
}
