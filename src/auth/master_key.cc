#include "auth/master_key.h"

#include <algorithm>

#include <openssl/crypto.h>

#include "auth/authorization_header.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/http_date.h"
#include "base/percent.h"
#include "model/limits.h"

namespace orrery::auth {

namespace {

constexpr std::size_t kKeyBytesMin = 32;

Error unauthorized(std::string message, std::uint32_t sub_status = 0) {
    return Error(ErrorCode::kUnauthorized, std::move(message), sub_status);
}

// Writes the text in lower case and a line end; returns where they end.
char* write_line(char* to, std::string_view text) {
    to = std::transform(text.begin(), text.end(), to, [](char c) { return lower(c); });
    *to = '\n';
    return to + 1;
}

std::string text_to_sign(const SignedParts& parts, std::string_view type, std::string_view link) {
    const std::string_view x_ms_date = parts.x_ms_date.value_or("");
    const std::string_view date = parts.x_ms_date ? "" : parts.date.value_or("");
    constexpr std::size_t kLines = 5;
    std::string text(
        parts.method.size() + type.size() + link.size() + x_ms_date.size() + date.size() + kLines,
        '\n');
    char* to = write_line(text.data(), parts.method);
    to = write_line(to, type);
    to = std::copy(link.begin(), link.end(), to) + 1;
    to = write_line(to, x_ms_date);
    write_line(to, date);
    return text;
}

}  // namespace

std::optional<MasterKey> MasterKey::from_base64(std::string_view text) {
    const auto key = base64_decode(text);
    if (!key || key->size() < kKeyBytesMin) return std::nullopt;
    return MasterKey(*key);
}

bool MasterKey::has_signed(const SignedParts& parts, std::string_view signature) const {
    if (signature.size() != sizeof(Sha256Digest)) return false;
    const auto matches = [&](std::string_view type) {
        for (const std::string& link : parts.resource_links) {
            const Sha256Digest expected = key_.sign(text_to_sign(parts, type, link));
            if (CRYPTO_memcmp(signature.data(), expected.data(), expected.size()) == 0) return true;
        }
        return false;
    };
    return matches(parts.resource_type) ||
           (!parts.other_resource_type.empty() && matches(parts.other_resource_type));
}

std::string MasterKey::authorization(std::string_view method,
                                     std::string_view resource_type,
                                     std::string_view resource_link,
                                     std::string_view x_ms_date) const {
    const SignedParts parts{.method = method,
                            .resource_type = resource_type,
                            .resource_links = {},
                            .x_ms_date = x_ms_date,
                            .date = std::nullopt};
    const Sha256Digest digest = key_.sign(text_to_sign(parts, resource_type, resource_link));
    return percent_encode("type=master&ver=1.0&sig=" + base64_encode(as_bytes(digest)));
}

Status check_signed_date(const SignedParts& parts, std::int64_t now) {
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
                         "). If the clocks differ, `orrery doctor` shows by how much.");
    }
    return {};
}

Error wrong_signature(const SignedParts& parts) {
    const std::string payload = text_to_sign(
        parts,
        parts.resource_type,
        parts.resource_links.empty() ? std::string_view() : parts.resource_links.front());
    return unauthorized(
        "The input authorization token can't serve the request. The wrong key is being used or the "
        "expected payload is not built as per the protocol. Server used the following payload to "
        "sign: '" +
        payload + "'. `orrery doctor` checks the key.");
}

}  // namespace orrery::auth
