// The progress of a tool on standard error: one line that is redrawn on a terminal, a plain line
// now and then elsewhere. Nothing if the tool is to be quiet.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace orrery::cli {

// What has been done so far. Set from any thread.
struct ProgressCounts {
    std::atomic<std::uint64_t> items{0};
    std::atomic<std::uint64_t> failed{0};
    // Of the work, in whatever unit is known from the start: bytes of input, items to read.
    std::atomic<std::uint64_t> done{0};
    std::atomic<std::uint64_t> total{0};  // 0: not known
    std::atomic<double> charge{0};        // request units

    void add_charge(double units);
};

// The line to show: "imported 12,000 items · 3,400/s · 18,000 RU/s · 42 % · 7 s left". Rates are
// over the time since the start of this run.
std::string progress_line(const std::string& verb,
                          const ProgressCounts& counts,
                          std::chrono::nanoseconds elapsed);

// "1,234,567"
std::string grouped(std::uint64_t number);
// "7 s", "3 min 20 s", "2 h 5 min"
std::string printed_duration(std::chrono::nanoseconds time);

class Progress {
public:
    // The line to show. Called from another thread.
    using Line = std::function<std::string()>;
    struct Options {
        bool quiet = false;
        std::chrono::milliseconds redraw{200};  // on a terminal
    };

    Progress(Line line, Options options);
    // `counts` must outlive this. `verb` begins the line: "imported".
    Progress(std::string verb, const ProgressCounts& counts, bool quiet);
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;
    // Shows the last state.
    ~Progress();

private:
    void run();
    void show(bool last);

    const Line line_;
    const Options options_;
    const bool terminal_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace orrery::cli
