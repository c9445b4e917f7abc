#include "service/resource_answer.h"

#include "base/bytes.h"
#include "model/etag.h"
#include "model/limits.h"
#include "service/errors.h"

namespace orrery::service {

using json::Value;

ResourceAnswer read_answer(const Request& request, Value body, std::string etag) {
    ResourceAnswer answer{.body = std::nullopt, .etag = std::move(etag)};
    const bool unchanged =
        request.if_none_match && model::etag_matches(*request.if_none_match, answer.etag);
    if (!unchanged) answer.body = std::move(body);
    return answer;
}

std::optional<std::string> if_match_of(const Request& request) {
    if (!request.if_match) return std::nullopt;
    return std::string(*request.if_match);
}

Result<Value> parse_object(std::string_view body) {
    Value value = TRY(Value::parse(body));
    if (!value.is_object()) return bad_request("The body must be a JSON object.");
    return value;
}

Result<Page> page_of(const Request& request,
                     const std::vector<Listed>& resources,
                     const ResourceQuery* query,
                     const ContinuationSigner& signer,
                     const std::string& scope) {
    const std::size_t limit = TRY(page_size(request));
    std::uint64_t from = 0;
    if (request.continuation) {
        const Continuation given = TRY(signer.check(*request.continuation, scope));
        from = ByteReader(given.resume).big_endian<std::uint64_t>();
    }
    Page page;
    for (const Listed& resource : resources) {
        if (resource.number < from) continue;
        const Value body = resource.body();
        if (query != nullptr && !query->matches(body)) continue;
        const std::size_t before = page.elements.size();
        if (page.count > 0) page.elements += ',';
        body.append_text(page.elements);
        const bool too_long = page.elements.size() > model::limits::kPageBytesMax;
        if (page.count == limit || (page.count > 0 && too_long)) {
            page.elements.resize(before);
            std::string resume;
            append_big_endian(resume, resource.number);
            page.continuation = signer.sign({.range_id = 0, .resume = resume}, scope);
            return page;
        }
        ++page.count;
    }
    return page;
}

}  // namespace orrery::service
