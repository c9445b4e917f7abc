// Parses one HybridRow. Every length is checked against the available bytes, and nothing is copied.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "hybridrow/schema.h"

namespace orrery::hybridrow {

// kBadRequest: the bytes are not what the format or the schema requires.
inline Error invalid(std::string why) { return Error(ErrorCode::kBadRequest, std::move(why)); }

// The start of every row: consumes the version, which must be ours, and the schema id, which it
// returns.
Result<std::uint32_t> read_header(ByteReader& bytes);

// `bytes` must be one whole row of that schema. Sparse fields that the schema does not have are
// skipped when they are scalars: a newer client may send them. Otherwise kBadRequest. The values
// point into `bytes`.
Result<Row> read_row(std::string_view bytes, const Schema& schema);

}  // namespace orrery::hybridrow
