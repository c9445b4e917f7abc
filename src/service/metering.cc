#include "service/metering.h"

#include "base/http_status.h"
#include "base/stopwatch.h"
#include "service/errors.h"
#include "throughput/charges.h"

namespace orrery::service {

Status check_budget(const Allowance& allowance, const partition::Partition& partition) {
    if (!allowance.claim) return {};
    const auto refusal = partition.ledger().refusal(*allowance.claim, monotonic_now());
    if (!refusal) return {};
    return throttled(*refusal);
}

std::string_view partition_key_of(const partition::FeedScope& scope) {
    if (!scope.partition_key || !scope.partition_key->partition_key) return {};
    return *scope.partition_key->partition_key;
}

void spend(const Context& context,
           const partition::Partition& partition,
           std::string_view partition_key,
           double units) {
    if (!context.allowance.claim) return;
    partition.ledger().spend(*context.allowance.claim, units, partition_key, monotonic_now());
}

void spend_on_failure(const Context& context,
                      const partition::Partition& partition,
                      std::string_view partition_key,
                      const Error& error) {
    const unsigned status = http_status(error.code());
    const bool runs_again = error.code() == ErrorCode::kWouldBlock ||
                            error.code() == ErrorCode::kGone ||
                            error.code() == ErrorCode::kThrottled;
    if (runs_again || status < 400 || status >= 500) return;
    spend(context, partition, partition_key, throughput::kRefusedCharge);
}

}  // namespace orrery::service
