#include "throughput/budget.h"

namespace orrery::throughput {

Budget::Budget(const Settings& settings, TimePoint now) : whole_(settings.rate, now) {
    configure(settings, now);
}

std::optional<Budget::Refusal> Budget::refusal(const Claim& claim, TimePoint now) {
    if (has_buckets_.load(std::memory_order_relaxed)) {
        if (const auto account = bucket_of(claim)) {
            if (const auto wait = account->refusal(Priority::kHigh, now)) {
                return Refusal{.retry_after = *wait, .of_bucket = true};
            }
        }
    }
    if (const auto wait = whole_.refusal(claim.priority, now)) return Refusal{.retry_after = *wait};
    return std::nullopt;
}

void Budget::spend(const Claim& claim, double units, TimePoint now) {
    whole_.spend(units, now);
    if (!has_buckets_.load(std::memory_order_relaxed)) return;
    if (const auto account = bucket_of(claim)) account->spend(units, now);
}

void Budget::configure(const Settings& settings, TimePoint now) {
    whole_.set_rate(settings.rate, now);
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Account>> accounts;
    for (const Bucket& bucket : settings.buckets) {
        constexpr double kPercent = 0.01;
        const Rate rate{.units_per_second =
                            settings.rate.units_per_second * kPercent * bucket.percent};
        std::shared_ptr<Account> account;
        for (std::size_t i = 0; i < buckets_.size(); ++i) {
            if (buckets_[i].id == bucket.id) account = accounts_[i];  // keeps its debt
        }
        if (account) {
            account->set_rate(rate, now);
        } else {
            account = std::make_shared<Account>(rate, now);
        }
        accounts.push_back(std::move(account));
    }
    buckets_ = settings.buckets;
    accounts_ = std::move(accounts);
    has_buckets_.store(!buckets_.empty(), std::memory_order_relaxed);
}

std::shared_ptr<Account> Budget::bucket_of(const Claim& claim) const {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < buckets_.size(); ++i) {
        const bool named = claim.bucket == buckets_[i].id;
        if (named || (claim.bucket == 0 && buckets_[i].is_default)) return accounts_[i];
    }
    return nullptr;
}

}  // namespace orrery::throughput
