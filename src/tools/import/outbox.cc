#include "tools/import/outbox.h"

namespace orrery::tools {

void Outbox::add(const std::string& range, Outgoing item) {
    const std::size_t bytes = item.item.bytes();
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    Open& open = open_[range];
    if (open.bytes + bytes > kBatchItemBytesMax) release(open);
    open.batch.push_back(std::move(item));
    open.bytes += bytes;
    if (open.batch.size() == kBatchItemsMax) release(open);
}

void Outbox::flush() {
    const std::lock_guard lock(mutex_);
    for (auto& [range, open] : open_) {
        release(open);
    }
    open_.clear();  // ranges that have split do not come again
}

void Outbox::close() {
    flush();
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
}

void Outbox::stop() {
    const std::lock_guard lock(mutex_);
    open_.clear();
    ready_.clear();
    closed_ = true;
    changed_.notify_all();
}

std::optional<Batch> Outbox::take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !ready_.empty(); });
    if (ready_.empty()) return std::nullopt;
    Batch out = std::move(ready_.front());
    ready_.pop_front();
    return out;
}

void Outbox::release(Open& open) {
    if (!open.batch.empty()) {
        ready_.push_back(std::move(open.batch));
        changed_.notify_one();
    }
    open = {};
}

}  // namespace orrery::tools
