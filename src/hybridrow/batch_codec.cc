#include "hybridrow/batch_codec.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "hybridrow/record_io.h"
#include "hybridrow/row_reader.h"
#include "hybridrow/row_writer.h"
#include "hybridrow/schema.h"

namespace orrery::hybridrow {
namespace {

using model::BatchOperation;
using model::BatchResult;

// Both schemas are from the SDK's HybridRowBatchSchemas.json; the enumerators are the columns'
// positions.
enum OperationColumn : std::size_t {
    kOperationType,
    kResourceType,
    kPartitionKey,
    kEffectivePartitionKey,
    kId,
    kBinaryId,
    kOperationBody,
    kIndexingDirective,
    kIfMatch,
    kIfNoneMatch,
    kTimeToLive,
    kMinimalReturn,
    kOperationColumns
};

constexpr std::array<Column, kOperationColumns> kOperationColumnTable = {{
    {"operationType", TypeCode::kInt32, StorageKind::kFixed},
    {"resourceType", TypeCode::kInt32, StorageKind::kFixed},
    {"partitionKey", TypeCode::kUtf8, StorageKind::kVariable},
    {"effectivePartitionKey", TypeCode::kBinary, StorageKind::kVariable},
    {"id", TypeCode::kUtf8, StorageKind::kVariable},
    {"binaryId", TypeCode::kBinary, StorageKind::kVariable},
    {"resourceBody", TypeCode::kBinary, StorageKind::kVariable},
    {"indexingDirective", TypeCode::kUtf8, StorageKind::kSparse},
    {"ifMatch", TypeCode::kUtf8, StorageKind::kSparse},
    {"ifNoneMatch", TypeCode::kUtf8, StorageKind::kSparse},
    {"timeToLiveInSeconds", TypeCode::kInt32, StorageKind::kSparse},
    {"minimalReturnPreference", TypeCode::kTrue, StorageKind::kSparse},
}};

enum ResultColumn : std::size_t {
    kStatusCode,
    kSubStatusCode,
    kETag,
    kResultBody,
    kRetryAfter,
    kRequestCharge,
    kResultColumns
};

constexpr std::array<Column, kResultColumns> kResultColumnTable = {{
    {"statusCode", TypeCode::kInt32, StorageKind::kFixed},
    {"subStatusCode", TypeCode::kInt32, StorageKind::kFixed},
    {"eTag", TypeCode::kUtf8, StorageKind::kVariable},
    {"resourceBody", TypeCode::kBinary, StorageKind::kVariable},
    {"retryAfterMilliseconds", TypeCode::kUInt32, StorageKind::kSparse},
    {"requestCharge", TypeCode::kFloat64, StorageKind::kSparse},
}};

constexpr Schema kOperationSchema = {.id = 2145473648, .columns = kOperationColumnTable};
constexpr Schema kResultSchema = {.id = 2145473649, .columns = kResultColumnTable};

static_assert(kOperationColumns <= kColumnsMax && kResultColumns <= kColumnsMax);
static_assert(presence_bits(kOperationSchema) <= kPresenceBitsMax);
static_assert(presence_bits(kResultSchema) <= kPresenceBitsMax);

// From the SDK's enumerations OperationType and ResourceType.
struct OperationCode {
    BatchOperation::Kind kind;
    std::int32_t code;
};
constexpr std::array<OperationCode, 6> kOperationCodes = {{
    {BatchOperation::Kind::kCreate, 0},
    {BatchOperation::Kind::kPatch, 1},
    {BatchOperation::Kind::kRead, 2},
    {BatchOperation::Kind::kDelete, 4},
    {BatchOperation::Kind::kReplace, 5},
    {BatchOperation::Kind::kUpsert, 20},
}};
constexpr std::int32_t kDocumentResource = 2;

template <typename T>
T value_or(const Value& value, T fallback) {
    return is_present(value) ? std::get<T>(value) : fallback;
}

std::optional<std::string> as_text(const Value& value) {
    if (!is_present(value)) return std::nullopt;
    return std::string(std::get<std::string_view>(value));
}

Value as_value(const std::optional<std::string>& text) {
    return text ? Value(std::string_view(*text)) : Value();
}

Result<BatchOperation> operation_of(const Row& row) {
    if (!is_present(row[kOperationType])) return invalid("the field 'operationType' is missing");
    if (!is_present(row[kResourceType])) return invalid("the field 'resourceType' is missing");
    const auto code = std::get<std::int32_t>(row[kOperationType]);
    const auto* known = std::ranges::find(kOperationCodes, code, &OperationCode::code);
    if (known == kOperationCodes.end()) {
        return invalid("the operation type " + std::to_string(code) + " is not allowed in a batch");
    }
    const auto resource = std::get<std::int32_t>(row[kResourceType]);
    if (resource != kDocumentResource) {
        return invalid("the resource type " + std::to_string(resource) + " is not that of an item");
    }
    return BatchOperation{
        .kind = known->kind,
        .partition_key = as_text(row[kPartitionKey]),
        .id = as_text(row[kId]),
        .body = as_text(row[kOperationBody]),
        .if_match = as_text(row[kIfMatch]),
        .if_none_match = as_text(row[kIfNoneMatch]),
        .indexing_directive = as_text(row[kIndexingDirective]),
        .minimal_return = value_or(row[kMinimalReturn], false),
    };
}

Row row_of(const BatchOperation& operation) {
    const auto* known = std::ranges::find(kOperationCodes, operation.kind, &OperationCode::kind);
    CHECK(known != kOperationCodes.end());
    Row row;
    row[kOperationType] = known->code;
    row[kResourceType] = kDocumentResource;
    row[kPartitionKey] = as_value(operation.partition_key);
    row[kId] = as_value(operation.id);
    row[kOperationBody] = as_value(operation.body);
    row[kIndexingDirective] = as_value(operation.indexing_directive);
    row[kIfMatch] = as_value(operation.if_match);
    row[kIfNoneMatch] = as_value(operation.if_none_match);
    if (operation.minimal_return) row[kMinimalReturn] = true;
    return row;
}

Result<BatchResult> result_of(const Row& row) {
    const auto status = value_or(row[kStatusCode], std::int32_t{0});
    // The SDK treats a result without a status, or with status 0, as a damaged response.
    if (status == 0) return invalid("the field 'statusCode' is missing");
    BatchResult result{
        .status = status,
        .substatus = value_or(row[kSubStatusCode], std::int32_t{0}),
        .charge = value_or(row[kRequestCharge], 0.0),
        .etag = as_text(row[kETag]),
        .body = as_text(row[kResultBody]),
        .retry_after_ms = std::nullopt,
    };
    if (is_present(row[kRetryAfter])) {
        result.retry_after_ms = std::get<std::uint32_t>(row[kRetryAfter]);
    }
    return result;
}

Row row_of(const BatchResult& result) {
    Row row;
    row[kStatusCode] = result.status;
    row[kSubStatusCode] = result.substatus;
    row[kETag] = as_value(result.etag);
    row[kResultBody] = as_value(result.body);
    if (result.retry_after_ms) row[kRetryAfter] = *result.retry_after_ms;
    row[kRequestCharge] = result.charge;
    return row;
}

template <typename T>
Result<T> decode_record(std::string_view record,
                        const Schema& schema,
                        Result<T> (*from_row)(const Row&)) {
    const Row row = TRY(read_row(record, schema));
    return from_row(row);
}

template <typename T>
Result<std::vector<T>> decode(std::string_view body,
                              const Schema& schema,
                              Result<T> (*from_row)(const Row&)) {
    std::vector<T> out;
    const auto located = [&out](Error error) {
        return std::move(error).with_context("The batch is not valid: record " +
                                             std::to_string(out.size()));
    };
    RecordReader records(body);
    while (true) {
        auto record = records.next();
        if (!record) return located(std::move(record).take_error());
        if (!record->has_value()) return out;
        if (out.size() == kRecordsMax) {
            return invalid("The batch has more than " + std::to_string(kRecordsMax) + " records.");
        }
        auto decoded = decode_record(**record, schema, from_row);
        if (!decoded) return located(std::move(decoded).take_error());
        out.push_back(std::move(decoded).take());
    }
}

template <typename T>
std::string encode(std::span<const T> values, const Schema& schema) {
    std::string out;
    append_segment(out);
    std::string row;
    for (const T& value : values) {
        row.clear();
        append_row(row, schema, row_of(value));
        append_record(out, row);
    }
    return out;
}

}  // namespace

bool is_record_io(std::string_view body) {
    return !body.empty() && static_cast<unsigned char>(body[0]) == kVersion;
}

Result<std::vector<BatchOperation>> decode_batch(std::string_view body) {
    return decode(body, kOperationSchema, operation_of);
}

std::string encode_results(std::span<const BatchResult> results) {
    return encode(results, kResultSchema);
}

std::string encode_batch(std::span<const BatchOperation> operations) {
    return encode(operations, kOperationSchema);
}

Result<std::vector<BatchResult>> decode_results(std::string_view body) {
    return decode(body, kResultSchema, result_of);
}

}  // namespace orrery::hybridrow
