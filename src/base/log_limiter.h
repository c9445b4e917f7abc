// Limits how many lines about the same kind of event are logged each second, so that an event that
// others can cause does not flood the log.

#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

namespace orrery::log {

class Limiter {
public:
    explicit Limiter(unsigned lines_per_second_max) : max_(lines_per_second_max) {}

    // How many lines have been left out since the last one; nothing if this one is to be left out
    // too. May be called from any thread.
    std::optional<std::uint64_t> allow(std::chrono::steady_clock::time_point now) {
        const std::lock_guard lock(mutex_);
        if (now - second_began_ >= std::chrono::seconds(1)) {
            second_began_ = now;
            logged_ = 0;
        }
        if (logged_ == max_) {
            ++left_out_;
            return std::nullopt;
        }
        ++logged_;
        return std::exchange(left_out_, 0);
    }

private:
    const unsigned max_;
    std::mutex mutex_;  // guards the members below
    std::chrono::steady_clock::time_point second_began_;
    unsigned logged_ = 0;  // in this second
    std::uint64_t left_out_ = 0;
};

}  // namespace orrery::log
