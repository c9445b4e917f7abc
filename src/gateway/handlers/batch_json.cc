#include "gateway/handlers/batch_json.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "json/number.h"
#include "json/scan.h"
#include "json/text.h"

namespace orrery::gateway::handlers {

namespace {

using model::BatchOperation;

// A patched value is nested this much deeper in the batch than in the item.
constexpr int kWrapperDepth = 5;

std::optional<BatchOperation::Kind> kind_of(std::string_view name) {
    using Kind = BatchOperation::Kind;
    constexpr std::pair<std::string_view, Kind> kNames[] = {{"Create", Kind::kCreate},
                                                            {"Upsert", Kind::kUpsert},
                                                            {"Read", Kind::kRead},
                                                            {"Replace", Kind::kReplace},
                                                            {"Patch", Kind::kPatch},
                                                            {"Delete", Kind::kDelete}};
    const auto* found = std::find_if(std::begin(kNames), std::end(kNames), [&](const auto& one) {
        return same_word(one.first, name);
    });
    return found == std::end(kNames) ? std::nullopt : std::optional(found->second);
}

// Extracts the members of the operations in the same pass that validates the JSON. Of duplicate
// members of an operation the last one wins; the readers of bodies drop duplicates in them.
class BatchReader {
public:
    explicit BatchReader(std::string_view text) : text_(text) {}

    void begin(json::Kind kind, std::size_t at) {
        if (depth_ == 0) expect(kind == json::Kind::kArray, "it must be an array");
        if (depth_ == 1) begin_operation(kind == json::Kind::kObject);
        if (depth_ == 2) value_at_ = at;
        ++depth_;
    }
    void end(json::Kind kind, std::size_t after) {
        --depth_;
        if (depth_ == 2) take(kind, text_.substr(value_at_, after - value_at_));
        if (depth_ == 1) expect(has_kind_, "an operation has no operationType");
    }
    void key(std::string_view raw, std::size_t /*at*/) {
        if (depth_ == 2) name_ = json::unquote(raw);
    }
    void scalar(json::Kind kind, std::string_view raw, std::size_t /*at*/) {
        if (depth_ == 2) {
            take(kind, raw);
        } else if (depth_ < 2) {
            expect(false, "it must be an array of objects");
        }
    }

    Result<std::vector<BatchOperation>> result() && {
        if (!problem_.empty()) {
            return Error(ErrorCode::kBadRequest, "The batch is not valid: " + problem_ + ".");
        }
        return std::move(operations_);
    }

private:
    void expect(bool sound, std::string_view problem) {
        if (!sound && problem_.empty()) problem_ = problem;
    }

    void begin_operation(bool is_object) {
        expect(is_object, "it must be an array of objects");
        has_kind_ = false;
        operations_.emplace_back();
    }

    void take(json::Kind kind, std::string_view raw) {
        if (operations_.empty() || kind == json::Kind::kNull) return;
        BatchOperation& operation = operations_.back();
        const auto text = [&]() -> std::string {
            expect(kind == json::Kind::kString, name_ + " must be a string");
            return kind == json::Kind::kString ? json::unquote(raw) : std::string();
        };
        if (name_ == "operationType") {
            const auto known = kind_of(text());
            expect(known.has_value(), "an operationType is unknown");
            has_kind_ = true;
            if (known) operation.kind = *known;
        } else if (name_ == "id") {
            operation.id = text();
        } else if (name_ == "partitionKey") {
            // Usually a string that contains the array; a plain array is accepted too.
            operation.partition_key = kind == json::Kind::kArray ? std::string(raw) : text();
        } else if (name_ == "resourceBody") {
            operation.body = raw;
        } else if (name_ == "ifMatch") {
            operation.if_match = text();
        } else if (name_ == "ifNoneMatch") {
            operation.if_none_match = text();
        } else if (name_ == "indexingDirective") {
            operation.indexing_directive = text();
        } else if (name_ == "minimalReturnPreference") {
            operation.minimal_return = kind == json::Kind::kTrue;
        }
    }

    std::string_view text_;
    int depth_ = 0;
    std::size_t value_at_ = 0;
    std::string name_;
    bool has_kind_ = false;
    std::string problem_;
    std::vector<BatchOperation> operations_;
};

void append_result(std::string& out, const model::BatchResult& result) {
    out.append("{\"statusCode\":").append(std::to_string(result.status));
    out.append(",\"subStatusCode\":").append(std::to_string(result.substatus));
    out.append(",\"requestCharge\":");
    json::append_number(out, result.charge);
    if (result.etag) {
        out.append(",\"eTag\":");
        json::append_quoted(out, *result.etag);
    }
    if (result.retry_after_ms) {
        out.append(",\"retryAfterMilliseconds\":").append(std::to_string(*result.retry_after_ms));
    }
    if (result.body) out.append(",\"resourceBody\":").append(*result.body);
    out += '}';
}

}  // namespace

Result<std::vector<BatchOperation>> parse_batch_json(std::string_view body) {
    BatchReader reader(body);
    TRY(json::scan(body, reader, json::kDepthMax + kWrapperDepth));
    return std::move(reader).result();
}

std::string print_batch_json(const std::vector<model::BatchResult>& results) {
    std::string out = "[";
    std::size_t size = 2;
    for (const model::BatchResult& result : results) {
        size += 200 + (result.body ? result.body->size() : 0);
    }
    out.reserve(size);
    for (const model::BatchResult& result : results) {
        if (out.size() > 1) out += ',';
        append_result(out, result);
    }
    out += ']';
    return out;
}

}  // namespace orrery::gateway::handlers
