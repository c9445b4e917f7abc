// What is recorded about every request: counts for /metrics, and a log line for each failure of the
// server. Counting touches only cache lines of the thread's slot, takes no lock and allocates
// nothing.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "auth/action.h"
#include "base/log_limiter.h"
#include "base/metrics.h"
#include "base/trace_context.h"

namespace orrery::gateway {

// What a request is counted as: an action of the API, or one of the two below.
class Operation {
public:
    constexpr explicit Operation(auth::Action action) : index_(static_cast<std::size_t>(action)) {}
    // Needs no account key: health, certificate, metrics.
    static constexpr Operation probe() { return Operation(auth::kActions); }
    // Refused before it was understood: not HTTP, or no such path or verb.
    static constexpr Operation unknown() { return Operation(auth::kActions + 1); }
    static constexpr std::size_t kCount = auth::kActions + 2;

    std::size_t index() const { return index_; }
    std::string_view name() const;

private:
    friend class RequestMonitor;
    constexpr explicit Operation(std::size_t index) : index_(index) {}

    std::size_t index_;
};

class RequestMonitor {
public:
    // The request was answered after `took`, and charged.
    void count(Operation operation,
               unsigned status,
               std::chrono::nanoseconds took,
               double request_units);
    // The connection refused a request that no operation was told of.
    void count_refused(unsigned status);

    struct StatusCount {
        unsigned status;  // 0: one that this server does not know
        std::uint64_t count;
    };
    struct OperationStats {
        std::string_view operation;
        std::vector<StatusCount> statuses;  // that occurred
        metrics::Times times;
        double request_units = 0;
    };
    // Of the operations that occurred.
    std::vector<OperationStats> stats() const;

    // A request that failed because of the server. At most kFailuresPerSecondMax are logged, so
    // that a failing disk does not also flood the log.
    struct Failure {
        std::string_view activity_id;
        Operation operation;
        unsigned status;
        std::uint32_t sub_status;
        std::string_view reason;
        std::optional<TraceContext> trace;
    };
    void log_failure(const Failure& failure);

private:
    static constexpr unsigned kFailuresPerSecondMax = 20;
    static constexpr std::array kStatuses = {200U, 201U, 202U, 204U, 207U, 304U, 400U, 401U,
                                             403U, 404U, 405U, 408U, 409U, 410U, 412U, 413U,
                                             424U, 429U, 431U, 449U, 500U, 501U, 503U};

    // The place of a status in kStatuses, or the place after the last.
    static std::size_t place_of(unsigned status);
    OperationStats stats_of(Operation operation) const;

    struct Counts {
        std::array<metrics::Count, kStatuses.size() + 1> statuses;
        metrics::Count charge_hundredths;
        metrics::TimeCounts times;
    };

    metrics::PerSlot<std::array<Counts, Operation::kCount>> counts_;

    log::Limiter failures_logged_{kFailuresPerSecondMax};
};

}  // namespace orrery::gateway
