#include "service/continuation.h"

#include <openssl/crypto.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "json/value.h"
#include "model/limits.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

constexpr std::size_t kSignatureBytes = 16;
constexpr char kVersion = 1;

Error bad_token() { return bad_request("The continuation token is not valid for this request."); }

std::optional<std::string> epk_at(const json::Value& range, std::string_view name) {
    const json::Value* text = range.find(name);
    if (text == nullptr || !text->is_string()) return std::nullopt;
    return model::parse_epk(text->string());
}

}  // namespace

std::string ContinuationSigner::sign(const Continuation& continuation,
                                     std::string_view scope) const {
    std::string payload(1, kVersion);
    append_big_endian(payload, continuation.range_id);
    payload += continuation.resume;
    return sign_payload(payload, scope);
}

Result<Continuation> ContinuationSigner::check(std::string_view token,
                                               std::string_view scope) const {
    const std::string payload = TRY(check_payload(token, scope));
    ByteReader reader(payload);
    const bool known = reader.take(1) == std::string_view(&kVersion, 1);
    Continuation out;
    out.range_id = reader.big_endian<std::uint32_t>();
    out.resume = reader.rest();
    if (!known || !reader.ok()) return bad_token();
    return out;
}

std::string ContinuationSigner::sign_payload(std::string_view payload,
                                             std::string_view scope) const {
    return base64_encode(signature(payload, scope).append(payload));
}

Result<std::string> ContinuationSigner::check_payload(std::string_view token,
                                                      std::string_view scope) const {
    if (token.size() > model::limits::kContinuationBytesMax) return bad_token();
    const auto bytes = base64_decode(token);
    if (!bytes || bytes->size() < kSignatureBytes) return bad_token();
    const std::string_view payload = std::string_view(*bytes).substr(kSignatureBytes);
    const std::string expected = signature(payload, scope);
    if (CRYPTO_memcmp(bytes->data(), expected.data(), kSignatureBytes) != 0) return bad_token();
    return std::string(payload);
}

std::string ContinuationSigner::signature(std::string_view payload, std::string_view scope) const {
    std::string text;
    append_varint(text, scope.size());
    text.append(scope).append(payload);
    const Sha256Digest digest = key_.sign(text);
    return std::string(as_bytes(digest).substr(0, kSignatureBytes));
}

std::string RangeContinuation::to_json() const {
    json::Value range{json::Value::Object()};
    range.set("min", to_hex_upper(epks.min_inclusive));
    range.set("max", to_hex_upper(epks.max_exclusive));
    json::Value out{json::Value::Object()};
    out.set("token", token);
    out.set("range", std::move(range));
    return out.text();
}

Result<RangeContinuation> RangeContinuation::parse(std::string_view json) {
    if (json.size() > model::limits::kContinuationBytesMax) return bad_token();
    const auto value = json::Value::parse(json);
    if (!value) return bad_token();
    const json::Value* token = value->find("token");
    const json::Value* range = value->find("range");
    if (token == nullptr || !token->is_string() || range == nullptr) return bad_token();
    auto min = epk_at(*range, "min");
    auto max = epk_at(*range, "max");
    if (!min || !max) return bad_token();
    return RangeContinuation{
        .token = token->string(),
        .epks = {.min_inclusive = *std::move(min), .max_exclusive = *std::move(max)}};
}

}  // namespace orrery::service
