#include "tools/import/window.h"

#include "base/check.h"

namespace orrery::tools {

bool Window::has_room(std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    return fits(bytes);
}

bool Window::wait_for_room(std::size_t bytes, std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return room_.wait_for(lock, time, [&] { return fits(bytes); });
}

Window::Ticket Window::enter(Settled record, std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    entries_.push_back({.record = std::move(record), .bytes = bytes});
    bytes_ += bytes;
    return first_ + entries_.size() - 1;
}

void Window::settle(Ticket ticket, Outcome outcome) {
    const std::lock_guard lock(mutex_);
    CHECK(ticket >= first_ && ticket - first_ < entries_.size());
    Entry& entry = entries_[ticket - first_];
    CHECK(!entry.settled);
    entry.settled = true;
    entry.record.outcome = std::move(outcome);
    while (!entries_.empty() && entries_.front().settled) {
        report_(entries_.front().record);
        bytes_ -= entries_.front().bytes;
        entries_.pop_front();
        ++first_;
    }
    room_.notify_one();
}

}  // namespace orrery::tools
