// Pokes running scripts now and then, so that a runtime gets to look at the clock and its memory
// however busy the script is. Sleeps when none runs.

#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace orrery::script {

class Watchdog {
public:
    // A regular expression that is interrupted starts over, five times at most (SpiderMonkey's
    // RegExpShared), so no match may take longer than the interval.
    static constexpr std::chrono::milliseconds kInterval{50};

    explicit Watchdog(std::chrono::milliseconds interval = kInterval);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    // All guards must be gone.
    ~Watchdog();

    // As long as it lives, `poke` is called every interval, on the watchdog's thread. Once the
    // guard is gone it is not called any more.
    class Guard {
    public:
        Guard(Watchdog& watchdog, std::function<void()> poke);
        Guard(const Guard&) = delete;
        Guard& operator=(const Guard&) = delete;
        ~Guard();

    private:
        Watchdog& watchdog_;
        std::list<std::function<void()>>::iterator entry_;
    };

private:
    void run();

    const std::chrono::milliseconds interval_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::list<std::function<void()>> watched_;
    bool stopping_ = false;
    bool asleep_ = false;  // waits for the first guard, not for the interval
    std::thread thread_;
};

}  // namespace orrery::script
