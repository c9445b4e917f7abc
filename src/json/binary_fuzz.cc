// Reading binary JSON never goes past its end. It produces text of bounded size, which the scan
// refuses only for invalid UTF-8.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "json/binary.h"
#include "json/scan.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kTextBytesMax = 1 << 20;
    const std::string binary = "\x80" + std::string(reinterpret_cast<const char*>(data), size);
    const auto text = orrery::json::text_of_binary(binary, kTextBytesMax);
    if (!text) return 0;
    CHECK(text->size() <= kTextBytesMax);
    const auto checked = orrery::json::check(*text);
    CHECK(checked || checked.error().message().find("UTF-8") != std::string::npos);
    return 0;
}
