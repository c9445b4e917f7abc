#include "server/file_watch.h"

#include <sys/stat.h>

namespace orrery::server {

FileWatch::~FileWatch() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void FileWatch::add(const std::string& path, std::function<void()> on_change) {
    files_.push_back({.path = path, .on_change = std::move(on_change), .stamp = stamp_of(path)});
}

void FileWatch::start() {
    if (!files_.empty()) thread_ = std::thread([this] { run(); });
}

FileWatch::Stamp FileWatch::stamp_of(const std::string& path) {
    struct stat found {};
    if (stat(path.c_str(), &found) != 0) return {};
    return {.seconds = found.st_mtim.tv_sec,
            .nanoseconds = found.st_mtim.tv_nsec,
            .size = found.st_size,
            .inode = found.st_ino};
}

void FileWatch::run() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, interval_, [this] { return stopping_; })) {
        for (Watched& file : files_) {
            const Stamp now = stamp_of(file.path);
            // While a file is being replaced it may be missing for a moment.
            if (now == file.stamp || now == Stamp()) continue;
            file.stamp = now;
            file.on_change();
        }
    }
}

}  // namespace orrery::server
