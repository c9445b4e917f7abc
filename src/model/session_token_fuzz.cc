// No token may crash the parser, and an LSN it finds must survive being printed.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "model/session_token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    const std::string_view token(reinterpret_cast<const char*>(data), size);
    const std::array<std::uint32_t, 2> parents = {0, 1};
    const auto lsn =
        orrery::model::required_lsn(token, {.id = 2, .parents = parents, .version = 0});
    if (!lsn || !*lsn) return 0;

    std::string printed;
    orrery::model::append_session_token(
        printed, {.range_id = 2, .lsn = **lsn}, orrery::model::SessionTokenForm::kVector);
    const auto again = orrery::model::required_lsn(printed, {.id = 2, .parents = {}, .version = 0});
    CHECK(again && *again == *lsn);
    return 0;
}
