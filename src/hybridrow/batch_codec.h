// Batches in the binary form of the .NET SDK, which sends it also in gateway mode and understands
// no other answer: a RecordIO stream, one row an operation or a result.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/batch.h"

namespace orrery::hybridrow {

// Ours: bounds the memory of what is decoded. How many operations a batch may have is less, and for
// whoever runs it to say.
inline constexpr std::size_t kRecordsMax = 1024;

// Whether a request's body is a binary batch; the header Content-Type says JSON of both forms.
bool is_record_io(std::string_view body);

// kBadRequest when the body is not what the SDK sends. Whether an operation has the id or body it
// needs, and whether that is JSON, is not looked at.
Result<std::vector<model::BatchOperation>> decode_batch(std::string_view body);

std::string encode_results(std::span<const model::BatchResult> results);

// The client's side.
std::string encode_batch(std::span<const model::BatchOperation> operations);
Result<std::vector<model::BatchResult>> decode_results(std::string_view body);

}  // namespace orrery::hybridrow
