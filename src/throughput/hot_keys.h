// The partition keys that lately used the most request units, found with little memory: when the
// list is full, a new key takes the place of the smallest and inherits its weight, so a key that
// is really hot stays (Metwally, Agrawal, El Abbadi: "Efficient computation of frequent and top-k
// elements in data streams", 2005).

#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::throughput {

struct HotKey {
    std::string key;
    double share = 0;  // of all request units, 0 to 1; lately, and estimated from a sample
};

class HotKeys {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    // Skips it if another thread is busy here: a sample is enough.
    void add(std::string_view key, double units, TimePoint now);

    // The hottest first.
    std::vector<HotKey> top(std::size_t count_max, TimePoint now) const;

private:
    struct Entry {
        std::string key;
        double weight = 0;
    };

    // Requires the mutex. What is longer ago counts less.
    void age(TimePoint now) const;
    Entry& entry_of(std::string_view key);

    mutable std::mutex mutex_;
    mutable TimePoint aged_at_{};
    mutable double total_ = 0;
    mutable std::vector<Entry> entries_;
};

}  // namespace orrery::throughput
