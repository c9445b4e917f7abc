#include "server/key_fetcher.h"

#include <algorithm>

#include "base/log.h"
#include "base/stopwatch.h"

namespace orrery::server {

void FetchSchedule::want(Time now) {
    wanted_ = true;
    due_ = std::min(due_, std::max(now, wanted_at_the_soonest_));
}

void FetchSchedule::fetched(Time now, bool succeeded) {
    if (std::exchange(wanted_, false)) wanted_at_the_soonest_ = now + kPause;
    due_ = now + (succeeded ? kInterval : kPause);
}

KeyFetcher::KeyFetcher(Source source, std::function<void(auth::KeySet)> use)
    : source_(std::move(source)), use_(std::move(use)), thread_([this] { run(); }) {}

KeyFetcher::~KeyFetcher() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    source_.stop();
    thread_.join();
}

void KeyFetcher::wait_for_first() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return successes_ + failures_ > 0; });
}

void KeyFetcher::want() {
    const std::lock_guard lock(mutex_);
    const FetchSchedule::Time before = schedule_.due();
    schedule_.want(monotonic_now());
    if (schedule_.due() < before) changed_.notify_all();
}

KeyFetcher::Stats KeyFetcher::stats() const {
    const std::lock_guard lock(mutex_);
    Stats out{.successes = successes_, .failures = failures_, .age = std::nullopt};
    if (successes_ > 0) out.age = monotonic_now() - succeeded_at_;
    return out;
}

void KeyFetcher::run() {
    std::string text;
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (const auto now = monotonic_now(); now < schedule_.due()) {
            changed_.wait_until(lock, schedule_.due());
            continue;
        }
        lock.unlock();
        const bool succeeded = fetch_once(text);
        lock.lock();
        const auto now = monotonic_now();
        schedule_.fetched(now, succeeded);
        ++(succeeded ? successes_ : failures_);
        if (succeeded) succeeded_at_ = now;
        changed_.notify_all();
    }
}

bool KeyFetcher::fetch_once(std::string& text) {
    auto fetched = source_.fetch();
    // New keys make the server forget which tokens it has verified.
    if (fetched && *fetched == text) return true;
    auto keys = fetched ? auth::KeySet::parse(*fetched) : fetched.error().copy();
    if (!keys) {
        const std::lock_guard lock(mutex_);
        if (stopping_) return false;
        log::warn("token_keys_not_fetched",
                  {{"url", source_.name},
                   {"reason", keys.error().message()},
                   {"keeps_old_keys", successes_ > 0}});
        return false;
    }
    text = std::move(*fetched);
    log::info("token_keys_fetched", {{"url", source_.name}, {"keys", keys->size()}});
    use_(std::move(keys).take());
    return true;
}

}  // namespace orrery::server
