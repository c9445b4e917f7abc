// The context of one operation. It is made when a request is admitted and passed to everything that
// works on it: what was asked, by whom, and what may be used for it. Whatever the operation costs
// and wherever it leaves the client's session is written into its receipt, also when it fails.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "auth/principal.h"
#include "base/memory_pool.h"
#include "base/pacer.h"
#include "base/stopwatch.h"
#include "partition/partition.h"
#include "service/request.h"
#include "sql/exec/driver.h"
#include "throughput/budget.h"

namespace orrery::service {

// What an operation may use.
struct Allowance {
    using TimePoint = std::chrono::steady_clock::time_point;

    // Nobody waits for the answer any longer. An operation is not begun after that, and a query
    // stops; a write that was handed to its partition is not.
    TimePoint deadline = TimePoint::max();
    MemoryPool* memory = nullptr;  // shared with other operations; null: no shared maximum
    // To request units of the partitions it works in. Without one the operation is not metered.
    std::optional<throughput::Claim> claim;
    // Whether the operation runs where it may wait for the disk. Elsewhere it answers kWouldBlock
    // instead, and is then run again where it may.
    bool may_block = true;
    Pacer* pacer = nullptr;  // where long operations give way to others; may be null
};

// The LSN of a partition, for session tokens.
struct Position {
    std::uint32_t range_id = 0;
    std::uint32_t version = 0;  // of the token: the container's number
    partition::Lsn lsn = 0;
};

// The work of a query. The counters break down `run` if the client asked for metrics.
struct Metrics {
    std::chrono::nanoseconds compile{};
    std::chrono::nanoseconds bind{};  // a part of run
    std::chrono::nanoseconds run{};
    sql::Counters counters;
    std::size_t partitions = 0;  // that were read
};

// What an operation has come to so far.
struct Receipt {
    double charge = 0;  // in request units
    // Of the partition that was read or written last, once it is known.
    std::optional<Position> position;
    Metrics metrics;
};

struct Context {
    Request request;
    auth::Principal principal;
    Allowance allowance;
    Receipt receipt;

    bool is_late() const { return monotonic_now() > allowance.deadline; }
};

}  // namespace orrery::service
