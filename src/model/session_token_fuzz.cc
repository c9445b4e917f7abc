// No token may crash the parser, and an LSN it finds must survive being printed.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "model/session_token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    const std::string_view token(reinterpret_cast<const char*>(data), size);
    const std::array<std::uint32_t, 2> parents = {0, 1};
    const auto lsn = orrery::model::required_lsn(token, 2, parents);
    if (!lsn || !*lsn) return 0;

    std::string printed;
    orrery::model::append_session_token(
        printed, {.range_id = 2, .lsn = **lsn}, orrery::model::SessionTokenForm::kVector);
    const auto again = orrery::model::required_lsn(printed, 2, {});
    CHECK(again && *again == *lsn);
    return 0;
}
