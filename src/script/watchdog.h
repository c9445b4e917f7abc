// Interrupts running scripts periodically, so that a runtime can check time and memory however busy
// the script is. Sleeps when none runs.

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
    // An interrupted regular expression starts over, at most five times (SpiderMonkey's
    // RegExpShared), so no match may take longer than the interval.
    static constexpr std::chrono::milliseconds kInterval{50};

    explicit Watchdog(std::chrono::milliseconds interval = kInterval);
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
    // All guards must have been destroyed.
    ~Watchdog();

    // While it exists, `poke` is called every interval on the watchdog's thread, and never after
    // its destruction.
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
    bool asleep_ = false;  // waiting for the first guard, not for the interval
    std::thread thread_;
};

}  // namespace orrery::script
