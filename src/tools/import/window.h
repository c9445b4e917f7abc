// Puts the outcomes of records, which come in any order, back into the order of the input, and
// limits how far sending may be ahead of the oldest record without an outcome. So what has been
// reported is always a beginning of the input, from which an import can go on.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace orrery::tools {

// A place in the input: what comes after this many records of this source.
struct Position {
    std::size_t source = 0;
    std::uint64_t records = 0;

    auto operator<=>(const Position&) const = default;
};

enum class Fate : std::uint8_t { kLoaded, kSkipped, kFailed };

struct Outcome {
    Fate fate = Fate::kLoaded;
    // Of a failure: why, and what failed.
    std::string reason = {};
    std::string item = {};
};

// A record that has its outcome.
struct Settled {
    Position after;
    std::uint64_t line = 0;
    std::uint64_t consumed = 0;  // bytes of all sources up to here
    Outcome outcome = {};
};

class Window {
public:
    using Ticket = std::uint64_t;

    // `report` is called for each record in the order of the input, never by two threads at a
    // time.
    Window(std::size_t bytes_max, std::function<void(const Settled&)> report)
        : bytes_max_(bytes_max), report_(std::move(report)) {}

    // False if there is no room for so many bytes. An empty window has room for anything.
    bool has_room(std::size_t bytes) const;
    // Waits for room, but not longer than this.
    bool wait_for_room(std::size_t bytes, std::chrono::milliseconds time);

    // A record that is going to have an outcome. For one thread.
    Ticket enter(Settled record, std::size_t bytes);
    void settle(Ticket ticket, Outcome outcome);

private:
    struct Entry {
        Settled record;
        std::size_t bytes = 0;
        bool settled = false;
    };

    bool fits(std::size_t bytes) const { return entries_.empty() || bytes_ + bytes <= bytes_max_; }

    const std::size_t bytes_max_;
    const std::function<void(const Settled&)> report_;
    mutable std::mutex mutex_;
    std::condition_variable room_;
    std::deque<Entry> entries_;
    Ticket first_ = 0;  // of the first entry
    std::size_t bytes_ = 0;
};

}  // namespace orrery::tools
