// A batch as its wire formats (JSON and HybridRow) carry it: operations in, one result for each
// out.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace orrery::model {

struct BatchOperation {
    enum class Kind : std::uint8_t { kCreate, kUpsert, kRead, kReplace, kPatch, kDelete };
    Kind kind = Kind::kRead;
    // A JSON array, as in the request header; in a bulk request, each operation has its own.
    std::optional<std::string> partition_key;
    std::optional<std::string> id;
    std::optional<std::string> body;  // JSON
    std::optional<std::string> if_match;
    std::optional<std::string> if_none_match;
    std::optional<std::string> indexing_directive;
    bool minimal_return = false;  // the result needs no body
};

struct BatchResult {
    std::int32_t status = 0;
    std::int32_t substatus = 0;
    double charge = 0;
    std::optional<std::string> etag;
    std::optional<std::string> body;  // JSON
    std::optional<std::uint32_t> retry_after_ms;
};

}  // namespace orrery::model
