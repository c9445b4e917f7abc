// Batches in the binary format of the .NET SDK, which sends it in gateway mode, too, and accepts no
// other response: a RecordIO stream with one row per operation or result.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/batch.h"

namespace orrery::hybridrow {

// Ours: bounds the memory of decoded batches. The limit on the operations of a batch is lower and
// is enforced where the batch runs.
inline constexpr std::size_t kRecordsMax = 1024;

// Whether a request body is a binary batch; the Content-Type header says JSON for both formats.
bool is_record_io(std::string_view body);

// kBadRequest when the body is not in the SDK's format. Does not check whether an operation has the
// id or body it needs, or whether that is JSON.
Result<std::vector<model::BatchOperation>> decode_batch(std::string_view body);

std::string encode_results(std::span<const model::BatchResult> results);

// The client side.
std::string encode_batch(std::span<const model::BatchOperation> operations);
Result<std::vector<model::BatchResult>> decode_results(std::string_view body);

}  // namespace orrery::hybridrow
