// Binary JSON never reads past its end, and what it becomes is text of bounded size that the scan
// refuses only for what is left to it: invalid UTF-8, and a name that occurs twice.

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
    const orrery::Status checked = orrery::json::check(*text);
    if (checked) return 0;
    const std::string& why = checked.error().message();
    CHECK(why.find("UTF-8") != std::string::npos || why.find("duplicate") != std::string::npos);
    return 0;
}
