#include "throughput/account.h"

#include <algorithm>
#include <cmath>

namespace orrery::throughput {

namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

// Spending becomes visible to others after this time at the latest.
constexpr milliseconds kSettleAfter{1};
// What is not used within this time is lost, or saved for bursts.
constexpr double kBalanceSeconds = 1;
constexpr double kSavedSeconds = 300;
constexpr double kBurstRate = 3000;
// Operations of low priority leave this share of the balance to others.
constexpr double kReservedShare = 0.5;
constexpr milliseconds kRetryAfterMin{1};
constexpr milliseconds kRetryAfterMax{5000};

double seconds_between(Account::TimePoint from, Account::TimePoint to) {
    return duration<double>(to - from).count();
}

std::int64_t second_of(Account::TimePoint time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

}  // namespace

Account::Account(const Rate& rate, TimePoint now)
    : balance_(rate.units_per_second * kBalanceSeconds),
      rate_(rate.units_per_second),
      settled_at_(now),
      burst_(rate.burst),
      second_(second_of(now)) {}

double Account::reserve(Priority priority) const {
    const double rate = rate_.load(std::memory_order_relaxed);
    if (priority == Priority::kHigh || !std::isfinite(rate)) return 0;
    return rate * kBalanceSeconds * kReservedShare;
}

std::optional<milliseconds> Account::refusal(Priority priority, TimePoint now) {
    if (now - settled_at_.load(std::memory_order_relaxed) >= kSettleAfter) settle_unless_busy(now);
    if (balance_.load(std::memory_order_relaxed) > reserve(priority)) return std::nullopt;
    const std::lock_guard lock(mutex_);
    settle(now);
    if (balance_.load(std::memory_order_relaxed) > reserve(priority)) return std::nullopt;
    refused_.fetch_add(1, std::memory_order_relaxed);
    return promise(priority, now);
}

void Account::spend(double units, TimePoint now) {
    static_cast<void>(meter_.add(units));
    // What is much for this account must be seen by the very next request.
    const double much =
        rate_.load(std::memory_order_relaxed) * duration<double>(kSettleAfter).count();
    if (units >= much) settle_unless_busy(now);
}

void Account::settle_unless_busy(TimePoint now) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) settle(now);
}

void Account::settle(TimePoint now) {
    const Meter::Reading total = meter_.read();
    const double spent = total.units - settled_.units;
    if (const std::uint64_t requests = total.requests - settled_.requests; requests > 0) {
        // Each request counts for a tenth, however many there were at once.
        constexpr double kOld = 0.9;
        const auto count = static_cast<double>(requests);
        average_cost_ += (1 - std::pow(kOld, count)) * (spent / count - average_cost_);
    }
    settled_ = total;
    record(spent, now);
    const TimePoint last = settled_at_.load(std::memory_order_relaxed);
    balance_.store(balance_.load(std::memory_order_relaxed) - spent, std::memory_order_relaxed);
    if (now <= last) return;  // another thread has read the clock later
    earn(seconds_between(last, now));
    settled_at_.store(now, std::memory_order_relaxed);
}

void Account::earn(double seconds) {
    const double rate = rate_.load(std::memory_order_relaxed);
    if (!std::isfinite(rate)) return;
    const double full = rate * kBalanceSeconds;
    double balance = balance_.load(std::memory_order_relaxed) + rate * seconds;
    if (burst_ && balance < full) {
        const double faster = std::max(0.0, kBurstRate - rate) * seconds;
        const double drawn = std::min({saved_, faster, full - balance});
        saved_ -= drawn;
        balance += drawn;
    }
    if (balance > full) {
        if (burst_ && rate < kBurstRate) {
            saved_ = std::min(saved_ + balance - full, rate * kSavedSeconds);
        }
        balance = full;
    }
    balance_.store(balance, std::memory_order_relaxed);
}

// The first who is refused comes back when the debt is repaid, each further one when the one before
// it will have been served.
milliseconds Account::promise(Priority priority, TimePoint now) {
    const double rate = rate_.load(std::memory_order_relaxed);
    const double missing = reserve(priority) - balance_.load(std::memory_order_relaxed);
    const auto in_time = [](double seconds) {
        return std::chrono::duration_cast<TimePoint::duration>(duration<double>(seconds));
    };
    TimePoint& promised = promised_until_[static_cast<std::size_t>(priority)];
    const TimePoint turn = std::max(now + in_time(missing / rate), promised);
    if (turn - now >= kRetryAfterMax) return kRetryAfterMax;
    promised = turn + in_time(average_cost_ / rate);
    return std::max(std::chrono::ceil<milliseconds>(turn - now), kRetryAfterMin);
}

void Account::set_rate(const Rate& rate, TimePoint now) {
    const std::lock_guard lock(mutex_);
    settle(now);
    const double old = rate_.exchange(rate.units_per_second, std::memory_order_relaxed);
    burst_ = rate.burst;
    const double full = rate.units_per_second * kBalanceSeconds;
    // More throughput is there at once. A debt stays.
    const double more = std::max(0.0, rate.units_per_second - old) * kBalanceSeconds;
    const double balance = balance_.load(std::memory_order_relaxed);
    balance_.store(std::isfinite(balance) ? std::min(balance + more, full) : full,
                   std::memory_order_relaxed);
    saved_ = burst_ ? std::min(saved_, rate.units_per_second * kSavedSeconds) : 0;
    promised_until_ = {};
}

void Account::record(double spent, TimePoint now) {
    open_second(second_of(now));
    spent_[static_cast<std::size_t>(second_) % kSecondsKept] += spent;
}

void Account::open_second(std::int64_t second) {
    const auto kept = static_cast<std::int64_t>(kSecondsKept);
    for (second_ = std::max(second_, second - kept); second_ < second;) {
        ++second_;
        spent_[static_cast<std::size_t>(second_) % kSecondsKept] = 0;
    }
}

Account::Usage Account::usage(TimePoint now) {
    const std::lock_guard lock(mutex_);
    settle(now);
    Usage out;
    out.spent = settled_;
    out.refused = refused_.load(std::memory_order_relaxed);
    out.rate = rate_.load(std::memory_order_relaxed);
    out.balance = balance_.load(std::memory_order_relaxed);
    out.last_second = spent_[static_cast<std::size_t>(second_ - 1) % kSecondsKept];
    out.busiest_second = *std::max_element(spent_.begin(), spent_.end());
    return out;
}

}  // namespace orrery::throughput
