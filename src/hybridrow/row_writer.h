// Writes one HybridRow.

#pragma once

#include <string>

#include "hybridrow/schema.h"

namespace orrery::hybridrow {

// Present values must have the types of their columns. Sparse fields come in the schema's order.
void append_row(std::string& out, const Schema& schema, const Row& row);

}  // namespace orrery::hybridrow
