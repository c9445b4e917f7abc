// Fetches the keys that sign bearer tokens from a URL: at the start, once an hour, and when a token
// names a key that is not known. Keeps the last good keys when a fetch fails.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "auth/key_set.h"
#include "base/result.h"

namespace orrery::server {

// When to fetch. Holds no clock; times never decrease.
class FetchSchedule {
public:
    using Time = std::chrono::steady_clock::time_point;

    static constexpr std::chrono::seconds kInterval{3600};
    // After a failure, and between fetches that tokens have caused: anybody can make up a token.
    static constexpr std::chrono::seconds kPause{60};

    Time due() const { return due_; }
    // A token names a key that is not known. Fetch at once, or when the last fetch for this reason
    // is long enough ago.
    void want(Time now);
    void fetched(Time now, bool succeeded);

private:
    Time due_;  // at first: always
    Time wanted_at_the_soonest_;
    bool wanted_ = false;
};

class KeyFetcher {
public:
    struct Source {
        std::string name;  // for the log
        // Blocks.
        std::function<Result<std::string>()> fetch;
        // Makes fetch() return; may be called at any time.
        std::function<void()> stop;
    };
    struct Stats {
        std::uint64_t successes = 0;
        std::uint64_t failures = 0;
        std::optional<std::chrono::nanoseconds> age;  // since the last success
    };

    // `use` is called with new keys, on a thread of this object.
    KeyFetcher(Source source, std::function<void(auth::KeySet)> use);
    KeyFetcher(const KeyFetcher&) = delete;
    KeyFetcher& operator=(const KeyFetcher&) = delete;
    ~KeyFetcher();

    // Waits until the first fetch has ended in one way or the other.
    void wait_for_first();
    // See FetchSchedule. May be called from any thread; does not block.
    void want();

    Stats stats() const;

private:
    void run();
    // Whether there are keys; `text` is replaced by the keys that are in use then.
    bool fetch_once(std::string& text);

    const Source source_;
    const std::function<void(auth::KeySet)> use_;
    mutable std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    FetchSchedule schedule_;
    std::uint64_t successes_ = 0;
    std::uint64_t failures_ = 0;
    FetchSchedule::Time succeeded_at_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace orrery::server
