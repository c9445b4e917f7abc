#include "tools/export/pages_ahead.h"

#include <utility>

namespace orrery::tools {

PagesAhead::PagesAhead(Fetch fetch) : fetch_(std::move(fetch)), reader_([this] { read(); }) {}

PagesAhead::~PagesAhead() {
    {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    changed_.notify_all();
    reader_.join();
}

PagesAhead::Fetched PagesAhead::next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ready_.has_value(); });
    Fetched out = *std::move(ready_);
    ready_.reset();
    changed_.notify_all();
    return out;
}

void PagesAhead::read() {
    bool more = true;
    while (more) {
        Fetched fetched = fetch_();
        more = fetched.page && *fetched.page;
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !ready_ || stopped_; });
        if (stopped_) return;
        ready_ = std::move(fetched);
        changed_.notify_all();
    }
}

}  // namespace orrery::tools
