#include "gateway/change_streams.h"

#include <algorithm>
#include <utility>

#include "base/guarded.h"

namespace orrery::gateway {

ChangeStreams::ChangeStreams(const Options& options)
    : options_(options), thread_([this] { run(); }) {}

void ChangeStreams::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

std::shared_ptr<ChangeStreams::Place> ChangeStreams::take_place() {
    const std::lock_guard lock(mutex_);
    std::erase_if(places_, [](const auto& place) { return place.expired(); });
    if (places_.size() >= options_.streams_max) {
        ++refused_;
        return nullptr;
    }
    auto place = std::make_shared<Place>();
    places_.push_back(place);
    return place;
}

ChangeStreams::Stats ChangeStreams::stats() const {
    const std::lock_guard lock(mutex_);
    Stats stats{.streams_max = options_.streams_max, .refused = refused_};
    for (const auto& weak : places_) {
        const auto place = weak.lock();
        if (!place) continue;
        ++stats.streams;
        stats.behind_max = std::max(stats.behind_max, place->behind.load());
    }
    return stats;
}

void ChangeStreams::wait(std::weak_ptr<Waiting> stream) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(stream));
    if (waiting_.size() == 1) changed_.notify_all();
}

// Sleeps without waking up while there are no streams.
void ChangeStreams::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
        changed_.wait_for(lock, options_.interval, [this] { return stopping_; });
        if (stopping_) return;
        const auto streams = std::exchange(waiting_, {});
        lock.unlock();
        for (const auto& weak : streams) {
            const auto stream = weak.lock();
            if (!stream) continue;
            static_cast<void>(run_guarded("a stream of changes", [&]() -> Status {
                stream->look();
                return {};
            }));
        }
        lock.lock();
    }
}

}  // namespace orrery::gateway
