#include "base/ascii.h"
#include "gateway/handlers/batch_json.h"
#include "gateway/handlers/handlers.h"
#include "gateway/handlers/item_status.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "gateway/status.h"
#include "hybridrow/batch_codec.h"
#include "json/number.h"
#include "json/text.h"
#include "model/limits.h"

namespace orrery::gateway::handlers {

namespace {

using service::BatchOutcome;
using service::ItemAnswer;

Result<std::vector<model::BatchOperation>> parse_batch(std::string_view body) {
    if (body.size() > model::limits::kRequestBodyBytesMax) {
        return Error(ErrorCode::kTooLarge, "Request size is too large");
    }
    return hybridrow::is_record_io(body) ? hybridrow::decode_batch(body) : parse_batch_json(body);
}

model::BatchResult result_of(service::BatchResult given) {
    model::BatchResult result;
    result.charge = given.charge;
    Result<ItemAnswer>& answer = given.answer;
    if (!answer) {
        const Error& error = answer.error();
        result.status = static_cast<std::int32_t>(http_status(error.code()));
        result.substatus = static_cast<std::int32_t>(error.sub_status());
        if (const auto wait = error.retry_after()) {
            result.retry_after_ms = static_cast<std::uint32_t>(wait->count());
        }
        return result;
    }
    result.status = static_cast<std::int32_t>(status_of(answer->kind));
    if (!answer->etag.empty()) result.etag = std::move(answer->etag);
    if (!answer->record.empty()) {
        answer->record.erase(0, answer->json_offset);
        result.body = std::move(answer->record);
    }
    return result;
}

http::Response batch_response(Call& call, std::vector<service::BatchResult> answers) {
    constexpr unsigned kMultiStatus = 207;
    std::vector<model::BatchResult> results;
    results.reserve(answers.size());
    bool all_done = true;
    for (service::BatchResult& answer : answers) {
        results.push_back(result_of(std::move(answer)));
        // A 304 is not a failure, but it does make the response 207.
        all_done = all_done && results.back().status < 300;
    }
    http::Response response = call.make_response(all_done ? 200 : kMultiStatus);
    // Answer in the request's format: clients read only the one they send.
    const bool binary = hybridrow::is_record_io(call.exchange().body());
    response.body = binary ? hybridrow::encode_results(results) : print_batch_json(results);
    return response;
}

http::Response make_response(Call& call,
                             const service::FoundContainer& found,
                             BatchOutcome outcome) {
    http::Response response = outcome ? batch_response(call, std::move(outcome).take())
                                      : call.make_error(outcome.error());
    add_container_headers(response, found);
    return response;
}

}  // namespace

bool is_bulk(const Call& call) {
    // Default to atomic, the stronger guarantee.
    return call.flag(header::kIsBatch) &&
           same_word(call.header(header::kBatchAtomic).value_or("true"), "false");
}

void post_batch(const Backend& backend, const CallPtr& call, const service::FoundContainer& found) {
    auto operations = parse_batch(call->exchange().body());
    if (!operations) return call->fail(operations.error());
    const Status allowed = backend.access.check_batch(call->context, found, *operations);
    if (!allowed) return call->fail(allowed.error());
    for (model::BatchOperation& operation : *operations) {
        operation.minimal_return = operation.minimal_return || call->wants_minimal();
    }
    const service::BatchOptions options{
        .atomic = !is_bulk(*call), .continue_on_error = call->flag(header::kBatchContinueOnError)};
    backend.batches.run(call->context,
                        found.container,
                        *operations,
                        options,
                        [&backend, call, found](BatchOutcome outcome) {
                            if (!outcome && run_again(backend, call, outcome.error())) return;
                            auto held = std::make_shared<BatchOutcome>(std::move(outcome));
                            call->respond_with([call, found, held] {
                                return make_response(*call, found, std::move(*held));
                            });
                        });
}

}  // namespace orrery::gateway::handlers
