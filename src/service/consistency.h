// What reads guarantee. A partition has one owner, which serves the newest committed state, so
// every read is at least as consistent as it asks to be. What remains is to refuse levels stronger
// than the account's, to honour session tokens, and to charge for the stronger levels.

#pragma once

#include "base/result.h"
#include "model/consistency.h"
#include "partition/partition.h"
#include "service/context.h"

namespace orrery::service {

// The level of a read: the account's, or the weaker one it asks for; 400 for a stronger one.
Result<model::ConsistencyLevel> consistency_of(const Request& request);

// How much more a read of that level costs.
double read_cost_factor(const Request& request);

// 400 as above; 404/1002 if the partition stays behind the client's session.
Status check_session(const Context& context, const partition::Partition& partition);

}  // namespace orrery::service
