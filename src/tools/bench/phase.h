// A part of a run in which all connections carry out operations of one workload: loading items, the
// measurement itself, cleaning up.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <latch>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "tools/bench/operations.h"
#include "tools/bench/pacing.h"
#include "tools/bench/recorder.h"

namespace orrery::tools::bench {

struct PhaseOptions {
    std::string verb;  // begins the live line: "loading"
    Workload workload;
    bool upsert = false;
    std::size_t connections = 1;
    // It ends at the first of these; 0: no limit.
    std::uint64_t count = 0;
    std::chrono::nanoseconds duration{0};
    // At most one of these; 0: as fast as the connections allow.
    double rate = 0;
    double request_units = 0;  // per second
};

struct PhaseResult {
    std::chrono::nanoseconds elapsed{0};
    std::uint64_t unsent = 0;  // operations that were due, but all connections were busy
    bool interrupted = false;
    std::optional<std::string> problem = std::nullopt;  // that ended it early

    bool complete() const { return !interrupted && !problem; }
};

// Use once.
class Phase {
public:
    // All must outlive this. `interrupted` ends it after the requests that are under way.
    Phase(PhaseOptions options,
          const client::Account& account,
          const Space& space,
          ItemNumbers& numbers,
          const ItemChooser& chooser,
          const std::atomic<bool>& interrupted);

    PhaseResult run(bool quiet);

    const Recorder& recorder() const { return recorder_; }

private:
    void work(std::size_t thread);
    void work_on(std::size_t thread, client::Client& client);
    void carry_out(std::size_t thread, Operations& operations, Operation operation);
    // Opens the connection, so that this is not part of the measurement.
    void connect(client::Client& client);
    void watch();
    void finish(std::chrono::nanoseconds elapsed);
    bool take_turn();
    // False if the phase ends before.
    bool wait_until(Time time) const;
    void fail(const std::string& problem);
    std::string live_line() const;

    const PhaseOptions options_;
    const client::Account& account_;
    const Space& space_;
    ItemNumbers& numbers_;
    const ItemChooser& chooser_;
    const std::atomic<bool>& interrupted_;
    const SystemClock clock_;
    Recorder recorder_;
    std::latch connected_;
    std::latch started_{1};
    Time start_;
    std::optional<Time> deadline_;
    std::optional<ArrivalSchedule> schedule_;
    std::optional<RequestUnitPacer> pacer_;
    std::atomic<std::uint64_t> turns_{0};
    std::atomic<std::uint64_t> abandoned_{0};  // they were due when the phase ended
    std::atomic<bool> ending_{false};
    PhaseResult result_;

    mutable std::mutex mutex_;  // guards what follows, and the problem of result_
    std::condition_variable changed_;
    std::size_t working_ = 0;
    Sample latest_;
};

}  // namespace orrery::tools::bench
