// The environment of a query: time and randomness.

#pragma once

#include "base/clock.h"
#include "sql/evaluator.h"

namespace orrery::service {

// As of now, by the server's clock.
sql::Surroundings surroundings_at(const Clock& clock);

}  // namespace orrery::service
