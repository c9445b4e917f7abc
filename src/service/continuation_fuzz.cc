// The signer rejects any text it did not produce, its own tokens read back, and so does any
// payload that can be decoded.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "service/continuation.h"
#include "service/item_continuation.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const orrery::service::ContinuationSigner kSigner(std::string(32, 's'));
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    CHECK(!kSigner.check(text, "scope"));

    const std::string_view resume = text.substr(0, 512);
    const std::string token = kSigner.sign({.range_id = 7, .resume = std::string(resume)}, text);
    const auto checked = kSigner.check(token, text);
    CHECK(checked && checked->resume == resume && checked->range_id == 7);
    CHECK(!kSigner.check(token, std::string(text) + "x"));

    if (const auto read = orrery::service::RangeContinuation::parse(text)) {
        const auto again = orrery::service::RangeContinuation::parse(read->to_json());
        CHECK(again && again->token == read->token && again->epks == read->epks);
    }
    if (const auto read = orrery::service::ItemContinuation::decode(text)) {
        const auto again = orrery::service::ItemContinuation::decode(read->encode());
        CHECK(again && again->selected == read->selected && again->parts == read->parts);
    }
    return 0;
}
