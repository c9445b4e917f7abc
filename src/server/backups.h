// The backups that a running server makes of itself, one at a time, on a thread of their own.

#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "storage/durable_engine.h"

namespace orrery::server {

class Backups {
public:
    struct Options {
        // Where backups may be; empty: nowhere.
        std::string directory;
        std::string data_directory;  // empty: in memory
    };

    // Both must outlive this.
    Backups(storage::DurableEngine& engine, const Clock& clock, Options options)
        : engine_(engine), clock_(clock), options_(std::move(options)) {}
    Backups(const Backups&) = delete;
    Backups& operator=(const Backups&) = delete;
    // Stops a backup that is being made. What it has copied is removed by the next one.
    ~Backups() { stopping_ = true; }

    // Begins one. The request is JSON, all of it optional: {"directory": below the server's own,
    // "keep": how many of the newest to keep}. kForbidden without a directory to make it in,
    // kConflict if one is being made.
    Status begin(std::string_view request);

    // JSON: what is being made, how the last one ended, and what there is.
    Result<std::string> description() const;

private:
    struct Job {
        std::string directory;
        std::optional<std::size_t> keep;
        std::int64_t begun_micros = 0;
    };

    Result<Job> parse(std::string_view request) const;
    void run(const Job& job);
    Status make(const Job& job);

    storage::DurableEngine& engine_;
    const Clock& clock_;
    const Options options_;
    std::atomic<bool> stopping_ = false;
    std::atomic<std::uint64_t> bytes_copied_ = 0;

    mutable std::mutex mutex_;  // guards the members below
    std::optional<Job> running_;
    std::string directory_;  // of the last one
    std::optional<std::uint32_t> last_id_;
    std::string last_error_;

    // Last: it ends before the others.
    ThreadPool thread_{ThreadPool::Options{.threads = 1, .priority = ThreadPool::Priority::kLow}};
};

}  // namespace orrery::server
