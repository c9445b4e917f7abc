// A closed loop: keep-alive connections, each of which sends its next request when it has the whole
// answer to the last one. One thread, so that it takes at most one core from the server.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/histogram.h"
#include "base/result.h"
#include "workload.h"

namespace orrery::bench {

struct LoadOptions {
    std::size_t connections = 32;
    std::chrono::milliseconds warm_up{0};  // not counted
    std::chrono::milliseconds duration{0};
};

struct LoadResult {
    Histogram latencies;                 // of the answers with a status below 400
    std::vector<Histogram> each_second;  // the same, by the second of the answer
    std::uint64_t failures = 0;
    std::string first_failure;  // the head of the first answer with a status of 400 or more
    std::chrono::nanoseconds elapsed{0};

    double per_second() const {
        return static_cast<double>(latencies.count()) /
               std::chrono::duration<double>(elapsed).count();
    }
};

// Ends after the duration, or when the workload has no more requests.
Result<LoadResult> run_load(const Target& target, Workload& workload, const LoadOptions& options);

// Sends one request on its own connection; returns the answer's status.
Result<int> send_once(const Target& target, std::string_view request);

}  // namespace orrery::bench
