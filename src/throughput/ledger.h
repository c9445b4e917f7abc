// What one physical partition has used, and the budget it uses it from, which it may share with
// partitions of other containers.

#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "throughput/budget.h"
#include "throughput/hot_keys.h"
#include "throughput/meter.h"

namespace orrery::throughput {

class Ledger {
public:
    using TimePoint = Budget::TimePoint;

    // Without a budget nothing is refused.
    explicit Ledger(std::shared_ptr<Budget> budget) : budget_(std::move(budget)) {}

    std::optional<Budget::Refusal> refusal(const Claim& claim, TimePoint now) const {
        return budget_ ? budget_->refusal(claim, now) : std::nullopt;
    }

    // `partition_key` may be empty if the operation was not for one key.
    void spend(const Claim& claim, double units, std::string_view partition_key, TimePoint now) {
        if (budget_) budget_->spend(claim, units, now);
        const std::uint64_t samples = meter_.add(units);
        if (samples > 0 && !partition_key.empty()) {
            hot_keys_.add(partition_key, static_cast<double>(samples * Meter::kSample), now);
        }
    }

    Meter::Reading spent() const { return meter_.read(); }
    const HotKeys& hot_keys() const { return hot_keys_; }
    const std::shared_ptr<Budget>& budget() const { return budget_; }

private:
    const std::shared_ptr<Budget> budget_;
    Meter meter_;
    HotKeys hot_keys_;
};

}  // namespace orrery::throughput
