// The environment of a query: time, randomness, and what it may use.

#pragma once

#include <chrono>

#include "base/clock.h"
#include "service/context.h"
#include "sql/budget.h"
#include "sql/evaluator.h"

namespace orrery::service {

// As of now, by the server's clock. The budget must outlive what is run with them.
sql::Surroundings surroundings_at(const Clock& clock, sql::Budget& budget);

// The limits of a page that answers a request. Where it may not block it has to be short.
sql::Budget::Limits page_limits(const Allowance& allowance);

// The same for what has to be done in this time, by a script or with its UDFs: the page ends early
// enough for the script to go on.
sql::Budget::Limits page_limits_within(std::chrono::milliseconds time, const Allowance& allowance);

// The limits of a condition, which runs where writes wait for it.
sql::Budget::Limits condition_limits();

}  // namespace orrery::service
