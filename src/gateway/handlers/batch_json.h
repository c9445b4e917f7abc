// The JSON form of a batch: an array of operations in, an array of results out (protocol §8.1).

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/batch.h"

namespace orrery::gateway::handlers {

// Parses [{"operationType":"Create","resourceBody":{...}},...]. kBadRequest if malformed; does not
// check that each operation has the members its type requires.
Result<std::vector<model::BatchOperation>> parse_batch_json(std::string_view body);

// [{"statusCode":201,...},...].
std::string print_batch_json(const std::vector<model::BatchResult>& results);

}  // namespace orrery::gateway::handlers
