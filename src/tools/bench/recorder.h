// Counts what the operations of a run did: in total by kind, and second by second.

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "tools/bench/workload.h"

namespace orrery::tools::bench {

inline double milliseconds_of(std::chrono::nanoseconds time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

// What became of one operation.
struct Outcome {
    // False: the end of the run cut it short, without effect on the server.
    bool finished = true;
    unsigned status = 200;        // of the answer that decided it; 0: there was none
    std::string problem = {};     // empty: it succeeded
    bool hopeless = false;        // every other operation would fail as well
    double charge = 0;            // request units, of all attempts
    std::uint32_t throttled = 0;  // attempts that were answered 429
    std::uint32_t conflicts = 0;  // writes that were repeated because the item had changed
    std::uint64_t items = 0;      // that a query returned

    bool good() const { return finished && problem.empty(); }
};

struct Failures {
    std::uint64_t count = 0;
    std::string example;
};

struct Totals {
    Histogram latencies;  // of operations that succeeded
    std::chrono::nanoseconds latency_sum{0};
    std::uint64_t errors = 0;
    std::uint64_t throttled = 0;
    std::uint64_t conflicts = 0;
    std::uint64_t items = 0;
    double charge = 0;
    double charge_succeeded = 0;

    std::uint64_t operations() const { return latencies.count(); }
    void add(const Totals& other);
};

// A second, or what was left of it at the end.
struct Sample {
    std::chrono::nanoseconds until{0};  // since the start
    std::chrono::nanoseconds length{0};
    std::uint64_t operations = 0;
    std::uint64_t errors = 0;
    std::uint64_t throttled = 0;
    double charge = 0;
    std::chrono::nanoseconds p50{0};
    std::chrono::nanoseconds p90{0};
    std::chrono::nanoseconds p99{0};
    std::chrono::nanoseconds max{0};

    double seconds() const { return std::max(std::chrono::duration<double>(length).count(), 1e-6); }
    double throughput() const { return static_cast<double>(operations) / seconds(); }
    double charge_rate() const { return charge / seconds(); }
};

using TotalsByOperation = std::array<Totals, kOperations>;
using FailuresByStatus = std::map<unsigned, Failures>;

// Threads share a few parts of it, so that they seldom wait for each other and memory stays small.
class Recorder {
public:
    void add(std::size_t thread,
             Operation operation,
             const Outcome& outcome,
             std::chrono::nanoseconds latency);

    // Ends a sample. By one thread only.
    const Sample& cut(std::chrono::nanoseconds since_start);

    // All so far.
    std::unique_ptr<TotalsByOperation> totals() const;
    Totals sum() const;
    FailuresByStatus failures() const;
    // By the thread that cuts.
    const std::vector<Sample>& samples() const { return samples_; }

private:
    static constexpr std::size_t kParts = 8;
    // A day in seconds; later ones are not kept.
    static constexpr std::size_t kSamplesMax = 86'400;

    struct Part {
        mutable std::mutex mutex;  // guards what follows
        TotalsByOperation totals;
        Totals since_cut;
        FailuresByStatus failures;
    };

    const std::unique_ptr<std::array<Part, kParts>> parts_ =
        std::make_unique<std::array<Part, kParts>>();
    std::vector<Sample> samples_;
    Sample last_;
};

}  // namespace orrery::tools::bench
