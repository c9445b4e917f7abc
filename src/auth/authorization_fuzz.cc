// No authorization header may crash the server or be taken for a credential: nothing here was
// issued.

#include <cstddef>
#include <cstdint>

#include "auth/authenticator.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    using namespace orrery::auth;                                                    // NOLINT
    static AccountKeys keys;
    static const bool kHasKey = keys.set(KeySlot::kPrimary, std::string(88, 'A'));
    static const ResourceTokens kTokens("secret");
    static BearerTokens bearers(
        {.issuers = {"i"}, .audiences = {"a"}, .accept_emulator_tokens = true}, keys);
    static const Authenticator kAuthenticator(keys, kTokens, bearers);
    CHECK(kHasKey);

    const std::string text(reinterpret_cast<const char*>(data), size);  // NOLINT
    const SignedParts parts{.method = "GET",
                            .resource_type = "dbs",
                            .resource_links = {},
                            .x_ms_date = "Thu, 27 Apr 2017 00:51:12 GMT",
                            .date = std::nullopt};
    constexpr std::int64_t kNow = 1'493'254'272;
    CHECK(!kAuthenticator.identify(text, parts, kNow));
    CHECK(!kAuthenticator.identify("type=resource&ver=1&sig=" + text, parts, kNow));
    // A token that holds the key is accepted, but it takes more than chance to find one.
    (void)kAuthenticator.identify("type=aad&ver=1.0&sig=" + text, parts, kNow);
    (void)KeySet::parse(text);
    return 0;
}
