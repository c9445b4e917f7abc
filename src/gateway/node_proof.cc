#include "gateway/node_proof.h"

#include <charconv>
#include <cstdlib>

#include <openssl/crypto.h>

#include "base/base64.h"
#include "gateway/headers.h"

namespace orrery::gateway {

namespace {

// The clocks of the nodes may differ by this much.
constexpr std::int64_t kAgeSecondsMax = 300;

// The text up to the next space, which is removed with it.
std::string_view take_word(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    return word;
}

}  // namespace

std::string NodeProof::sign(std::string_view node,
                            std::string_view method,
                            std::string_view target,
                            std::int64_t now_seconds) const {
    const std::string seconds = std::to_string(now_seconds);
    std::string out(node);
    out.append(" ").append(seconds).append(" ");
    return out.append(signature_of(node, seconds, method, target));
}

std::optional<std::string> NodeProof::signer_of(const http::Exchange& exchange,
                                                std::int64_t now_seconds) const {
    const auto header = exchange.header(header::kNode);
    if (!header) return std::nullopt;
    std::string_view rest = *header;
    const std::string_view node = take_word(rest);
    const std::string_view seconds = take_word(rest);
    const std::string expected = signature_of(node, seconds, exchange.method(), exchange.target());
    if (rest.size() != expected.size() ||
        CRYPTO_memcmp(rest.data(), expected.data(), expected.size()) != 0) {
        return std::nullopt;
    }
    std::int64_t signed_at = 0;
    std::from_chars(seconds.data(), seconds.data() + seconds.size(), signed_at);
    if (std::abs(now_seconds - signed_at) > kAgeSecondsMax) return std::nullopt;
    return std::string(node);
}

std::string NodeProof::signature_of(std::string_view node,
                                    std::string_view seconds,
                                    std::string_view method,
                                    std::string_view target) const {
    std::string text;
    for (const std::string_view part : {node, seconds, method, target})
        text.append(part).append(1, '\n');
    return base64_encode(as_bytes(key_.sign(text)));
}

}  // namespace orrery::gateway
