// The request units that a physical partition may use: its share of what was provisioned, divided
// further into buckets if the owner wants that.

#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "throughput/account.h"

namespace orrery::throughput {

// What a request says about itself.
struct Claim {
    Priority priority = Priority::kHigh;
    std::uint8_t bucket = 0;  // 0: none
};

// Requests that name a bucket use at most this share of the throughput.
struct Bucket {
    std::uint8_t id = 0;  // from 1
    std::uint8_t percent = 0;
    bool is_default = false;  // for requests that name none

    friend bool operator==(const Bucket&, const Bucket&) = default;
};

class Budget {
public:
    using TimePoint = Account::TimePoint;

    struct Settings {
        Rate rate;
        std::vector<Bucket> buckets;
    };

    Budget(const Settings& settings, TimePoint now);

    struct Refusal {
        std::chrono::milliseconds retry_after{};
        bool of_bucket = false;  // the bucket is used up, not the whole
    };
    std::optional<Refusal> refusal(const Claim& claim, TimePoint now);
    void spend(const Claim& claim, double units, TimePoint now);

    void configure(const Settings& settings, TimePoint now);

    Account::Usage usage(TimePoint now) { return whole_.usage(now); }

private:
    std::shared_ptr<Account> bucket_of(const Claim& claim) const;

    Account whole_;
    std::atomic<bool> has_buckets_ = false;
    mutable std::mutex mutex_;  // guards the members below
    std::vector<Bucket> buckets_;
    std::vector<std::shared_ptr<Account>> accounts_;  // of the buckets
};

}  // namespace orrery::throughput
