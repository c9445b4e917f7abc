// Looks for news on behalf of clients that stream changes: one thread for all of them. Finding out
// that nothing is new takes no time (service/change_feed.h); reading changes is left to other
// threads.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace orrery::gateway {

class ChangeStreams {
public:
    struct Options {
        std::size_t streams_max = 1000;
        std::chrono::milliseconds interval{100};  // between looks
        std::chrono::seconds keep_alive{15};  // after which a quiet stream shows that it is alive
    };

    // A stream without news.
    class Waiting {
    public:
        Waiting() = default;
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
        virtual ~Waiting() = default;

        // Looks for news; called once per wait(), on the thread of this object. Must not block.
        virtual void look() = 0;
    };

    explicit ChangeStreams(const Options& options);
    ChangeStreams(const ChangeStreams&) = delete;
    ChangeStreams& operator=(const ChangeStreams&) = delete;
    ~ChangeStreams() { stop(); }

    // Ends the thread: no stream gets any further news.
    void stop();

    // What is known about a stream.
    struct Place {
        std::atomic<std::uint64_t> behind = 0;  // LSNs that it has still to read
    };
    // A place for a stream, until it is released; null if all are taken.
    std::shared_ptr<Place> take_place();
    // Calls look() after the interval, if the stream still exists.
    void wait(std::weak_ptr<Waiting> stream);

    struct Stats {
        std::size_t streams = 0;
        std::size_t streams_max = 0;
        std::uint64_t refused = 0;
        std::uint64_t behind_max = 0;  // LSNs that one of them has still to read
    };
    Stats stats() const;
    const Options& options() const { return options_; }

private:
    void run();

    const Options options_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::weak_ptr<Waiting>> waiting_;
    std::vector<std::weak_ptr<Place>> places_;
    std::uint64_t refused_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace orrery::gateway
