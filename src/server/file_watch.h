// Notices that files have changed: looks at them once a second on a thread of its own.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace orrery::server {

class FileWatch {
public:
    explicit FileWatch(std::chrono::milliseconds interval = std::chrono::seconds(1))
        : interval_(interval) {}
    FileWatch(const FileWatch&) = delete;
    FileWatch& operator=(const FileWatch&) = delete;
    ~FileWatch();

    // Calls back when the file has other content, on the watching thread. Before start().
    void add(const std::string& path, std::function<void()> on_change);
    // Does nothing if there is no file to watch.
    void start();

private:
    // When and where the file was written. Mounted secrets are replaced, not written to.
    struct Stamp {
        std::int64_t seconds = 0;
        std::int64_t nanoseconds = 0;
        std::int64_t size = -1;
        std::uint64_t inode = 0;

        bool operator==(const Stamp&) const = default;
    };
    struct Watched {
        std::string path;
        std::function<void()> on_change;
        Stamp stamp;
    };

    static Stamp stamp_of(const std::string& path);
    void run();

    const std::chrono::milliseconds interval_;
    std::vector<Watched> files_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace orrery::server
