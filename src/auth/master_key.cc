#include "auth/master_key.h"

#include <algorithm>

#include <openssl/crypto.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/http_date.h"
#include "base/percent.h"
#include "model/limits.h"

namespace orrery::auth {

namespace {

constexpr std::size_t kKeyBytesMin = 32;
constexpr std::uint32_t kHeaderMissing = 5000;
constexpr std::uint32_t kHeaderMalformed = 5001;

Error unauthorized(std::string message, std::uint32_t sub_status = 0) {
    return Error(ErrorCode::kUnauthorized, std::move(message), sub_status);
}

void append_lower(std::string& out, std::string_view text) {
    for (const char c : text) {
        out += lower(c);
    }
}

// type=master&ver=1.0&sig=...; ignores everything after a comma in the signature.
struct Token {
    std::string_view type;
    std::string_view version;
    std::string_view signature;
};

std::optional<std::string_view> take_field(std::string_view& rest,
                                           std::string_view name,
                                           bool last) {
    if (rest.substr(0, name.size()) != name) return std::nullopt;
    rest.remove_prefix(name.size());
    const std::size_t end = last ? rest.find(',') : rest.find('&');
    if (end == std::string_view::npos && !last) return std::nullopt;
    const std::string_view field = rest.substr(0, end);
    rest.remove_prefix(std::min(rest.size(), field.size() + 1));
    return field;
}

std::optional<Token> parse_token(std::string_view text) {
    const auto type = take_field(text, "type=", false);
    if (!type) return std::nullopt;
    const auto version = take_field(text, "ver=", false);
    if (!version) return std::nullopt;
    const auto signature = take_field(text, "sig=", true);
    if (!signature) return std::nullopt;
    return Token{*type, *version, *signature};
}

Status check_date(const SignedParts& parts, std::int64_t now) {
    const std::optional<std::string_view> text = parts.x_ms_date ? parts.x_ms_date : parts.date;
    const auto signed_at = text ? parse_http_date(*text) : std::nullopt;
    if (!signed_at) {
        return unauthorized(
            "The authorization header needs an 'x-ms-date' or 'Date' header in RFC 1123 form.",
            kHeaderMalformed);
    }
    if (*signed_at > now + model::limits::kClockSkewSecondsMax ||
        *signed_at < now - model::limits::kClockSkewSecondsMax) {
        return Error(ErrorCode::kForbidden,
                     "The authorization token is not valid at the current time. Please create "
                     "another token and retry (token start time: " +
                         std::string(*text) + ", current server time: " + print_http_date(now) +
                         ").");
    }
    return {};
}

std::string text_to_sign(const SignedParts& parts, std::string_view link) {
    std::string text;
    text.reserve(96 + link.size());
    append_lower(text, parts.method);
    text += '\n';
    append_lower(text, parts.resource_type);
    text += '\n';
    text.append(link);
    text += '\n';
    append_lower(text, parts.x_ms_date.value_or(""));
    text += '\n';
    if (!parts.x_ms_date) append_lower(text, parts.date.value_or(""));
    text += '\n';
    return text;
}

}  // namespace

std::optional<MasterKey> MasterKey::from_base64(std::string_view text) {
    const auto key = base64_decode(text);
    if (!key || key->size() < kKeyBytesMin) return std::nullopt;
    return MasterKey(*key);
}

Status MasterKey::check(std::optional<std::string_view> authorization,
                        const SignedParts& parts,
                        std::int64_t now) const {
    if (!authorization || authorization->empty()) {
        return unauthorized(
            "Required Header 'authorization' is missing. Ensure a valid "
            "Authorization token is passed.",
            kHeaderMissing);
    }
    if (authorization->size() > model::limits::kAuthorizationBytesMax) {
        return unauthorized("The authorization header is too long.", kHeaderMalformed);
    }
    // Most SDKs percent-encode the token, some do not.
    const std::optional<std::string> decoded = percent_decode(*authorization);
    const auto token = parse_token(decoded ? std::string_view(*decoded) : *authorization);
    if (!token) {
        return unauthorized("The authorization header is not of the form type=...&ver=...&sig=....",
                            kHeaderMalformed);
    }
    if (token->type != "master") {
        return unauthorized("Authorization tokens of type '" + std::string(token->type) +
                                "' are not supported by this server; use the account key.",
                            kHeaderMalformed);
    }
    TRY(check_date(parts, now));
    const auto given = base64_decode(token->signature);
    if (given && given->size() == sizeof(Sha256Digest)) {
        for (const std::string& link : parts.resource_links) {
            const Sha256Digest expected = key_.sign(text_to_sign(parts, link));
            if (CRYPTO_memcmp(given->data(), expected.data(), expected.size()) == 0) return {};
        }
    }
    std::string payload = text_to_sign(
        parts, parts.resource_links.empty() ? std::string_view() : parts.resource_links.front());
    return unauthorized(
        "The input authorization token can't serve the request. The wrong key is being used or the "
        "expected payload is not built as per the protocol. Server used the following payload to "
        "sign: '" +
        payload + "'");
}

}  // namespace orrery::auth
