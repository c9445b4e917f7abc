// Takes what operations cost from the budgets of the partitions that did the work.

#pragma once

#include <string_view>

#include "base/result.h"
#include "partition/feed.h"
#include "partition/partition.h"
#include "service/context.h"

namespace orrery::service {

// 429 if the partition's request units are used up and the operation is metered.
Status check_budget(const Allowance& allowance, const partition::Partition& partition);

// The encoded key that a scope is limited to; empty if it is not limited to one.
std::string_view partition_key_of(const partition::FeedScope& scope);

// Part of an operation is done.
void spend(const Context& context,
           const partition::Partition& partition,
           std::string_view partition_key,
           double units);

// The operation has failed. It costs nothing if the server is to blame, if it was refused by
// another partition, or if it will run again.
void spend_on_failure(const Context& context,
                      const partition::Partition& partition,
                      std::string_view partition_key,
                      const Error& error);

}  // namespace orrery::service
