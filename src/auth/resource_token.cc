#include "auth/resource_token.h"

#include <openssl/crypto.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/http_date.h"
#include "model/limits.h"

namespace orrery::auth {

namespace {

// In tokens that clients keep. Never reuse or renumber.
constexpr char kVersion = 1;
enum Flag : std::uint8_t { kAll = 1, kByRid = 2, kHasKey = 4 };
constexpr std::uint8_t kFlagsMax = kAll | kByRid | kHasKey;

void append_text(std::string& out, std::string_view text) {
    append_varint(out, text.size());
    out.append(text);
}

std::string take_text(ByteReader& reader) { return std::string(reader.take(reader.varint())); }

std::string payload_of(const ResourceGrant& grant) {
    std::string out(1, kVersion);
    const bool all = grant.mode == model::PermissionMode::kAll;
    out += static_cast<char>((all ? kAll : 0) | (grant.by_rid ? kByRid : 0) |
                             (grant.partition_key ? kHasKey : 0));
    append_big_endian(out, static_cast<std::uint64_t>(grant.issued));
    append_big_endian(out, static_cast<std::uint64_t>(grant.expires));
    for (const std::string* part :
         {&grant.database, &grant.container, &grant.child_type, &grant.child}) {
        append_text(out, *part);
    }
    if (grant.partition_key) append_text(out, grant.partition_key->encode());
    return out;
}

std::optional<ResourceGrant> read_payload(std::string_view payload) {
    ByteReader reader(payload);
    if (reader.take(1) != std::string_view(&kVersion, 1)) return std::nullopt;
    const auto flags = reader.big_endian<std::uint8_t>();
    ResourceGrant out;
    out.mode = (flags & kAll) != 0 ? model::PermissionMode::kAll : model::PermissionMode::kRead;
    out.by_rid = (flags & kByRid) != 0;
    out.issued = reader.big_endian<std::int64_t>();
    out.expires = reader.big_endian<std::int64_t>();
    out.database = take_text(reader);
    out.container = take_text(reader);
    out.child_type = take_text(reader);
    out.child = take_text(reader);
    if ((flags & kHasKey) != 0) {
        auto key = model::PartitionKeyValue::decode(take_text(reader));
        if (!key) return std::nullopt;
        out.partition_key = std::move(key).take();
    }
    if (!reader.ok() || !reader.rest().empty() || flags > kFlagsMax) return std::nullopt;
    return out;
}

Error not_ours() {
    return Error(ErrorCode::kUnauthorized,
                 "The input authorization token can't serve the request. The resource token was "
                 "not issued by this server, or has been changed.");
}

}  // namespace

// A key of its own, so that no other signed text of the server can pass as a token.
ResourceTokens::ResourceTokens(std::string_view secret)
    : key_(as_bytes(HmacSha256Key(secret).sign("resource token"))) {}

std::string ResourceTokens::issue(const ResourceGrant& grant) const {
    const std::string payload = payload_of(grant);
    const Sha256Digest signature = key_.sign(payload);
    return "type=resource&ver=1&sig=" + base64_encode(as_bytes(signature)) + ";" +
           base64_encode(payload) + ";";
}

Result<ResourceGrant> ResourceTokens::check(std::string_view signature) const {
    const std::size_t middle = signature.find(';');
    if (middle == std::string_view::npos || !signature.ends_with(';')) return not_ours();
    const auto given = base64_decode(signature.substr(0, middle));
    signature.remove_prefix(middle + 1);
    if (signature.empty()) return not_ours();
    signature.remove_suffix(1);
    const auto payload = base64_decode(signature);
    if (!given || !payload || given->size() != sizeof(Sha256Digest)) return not_ours();
    const Sha256Digest expected = key_.sign(*payload);
    if (CRYPTO_memcmp(given->data(), expected.data(), expected.size()) != 0) return not_ours();
    auto grant = read_payload(*payload);
    if (!grant) return not_ours();
    return std::move(*grant);
}

Status check_time(const ResourceGrant& grant, std::int64_t now) {
    // The clock may have been set back since the token was made.
    if (now < grant.expires && now >= grant.issued - model::limits::kClockSkewSecondsMax) return {};
    return Error(ErrorCode::kForbidden,
                 "The authorization token is not valid at the current time. Please create another "
                 "token and retry (token start time: " +
                     print_http_date(grant.issued) +
                     ", token expiry time: " + print_http_date(grant.expires) +
                     ", current server time: " + print_http_date(now) + ").");
}

}  // namespace orrery::auth
