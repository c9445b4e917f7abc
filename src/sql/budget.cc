#include "sql/budget.h"

#include <algorithm>
#include <string>
#include <utility>

namespace orrery::sql {

namespace {

// Memory is taken from the pool in steps, so that queries rarely touch what they share.
constexpr std::size_t kMemoryStep = std::size_t{256} << 10;

Budget::TimePoint after(Budget::TimePoint start, Budget::Duration time) {
    const bool never = time > Budget::TimePoint::max() - start;
    return never ? Budget::TimePoint::max() : start + time;
}

}  // namespace

Budget::Budget(Limits limits)
    : limits_(std::move(limits)),
      timed_(limits_.page_time != Duration::max() || limits_.query_time != Duration::max() ||
             limits_.pacer != nullptr),
      work_left_(limits_.work_max),
      granted_memory_(0) {
    if (timed_) {
        slice_start_ = limits_.now();
        page_end_ = after(slice_start_, limits_.page_time);
        query_end_ = after(slice_start_, limits_.query_time);
    }
    granted_ = left_ = std::min(limits_.units_per_look, work_left_);
}

Budget::~Budget() {
    if (pooled_ > 0) limits_.pool->give(pooled_);
}

bool Budget::look(std::uint64_t units) {
    if (is_stopped()) return false;
    const std::uint64_t used = granted_ - left_ + units;
    if (used > work_left_) return stop(Stop::kWork);
    if (work_left_ != kUnlimited) work_left_ -= used;
    granted_ = left_ = std::min(limits_.units_per_look, work_left_);
    if (timed_) look_at_clock();
    return !is_stopped();
}

void Budget::look_at_clock() {
    TimePoint now = limits_.now();
    if (limits_.pacer != nullptr && now - slice_start_ >= kSlice) {
        if (!limits_.pacer->slice_used()) stop(Stop::kGivenUp);
        slice_start_ = now = limits_.now();
    }
    if (now >= query_end_) {
        stop(Stop::kQueryTime);
    } else if (now >= page_end_) {
        late_ = true;
        if (progressed_) stop(Stop::kPageTime);
    }
}

void Budget::let_page_end(bool may) {
    may_end_ = may;
    if (may) return;
    progressed_ = false;
    if (!page_ended()) return;
    stop_ = Stop::kNone;
    granted_ = left_ = std::min(limits_.units_per_look, work_left_);
}

bool Budget::has_room(std::size_t bytes) {
    const std::size_t left = limits_.memory_max - std::min(limits_.memory_max, memory_);
    if (bytes > left) stop(Stop::kMemory);
    return !is_stopped();
}

void Budget::grow() {
    if (is_stopped()) return;
    if (memory_ > limits_.memory_max) {
        stop(Stop::kMemory);
        return;
    }
    const std::size_t more =
        (memory_ - granted_memory_ + kMemoryStep - 1) / kMemoryStep * kMemoryStep;
    if (limits_.pool != nullptr) {
        if (!limits_.pool->take(more)) {
            stop(Stop::kPool);
            return;
        }
        pooled_ += more;
    }
    granted_memory_ = std::min(granted_memory_ + more, limits_.memory_max);
}

bool Budget::stop(Stop reason) {
    if (stop_ == Stop::kNone) stop_ = reason;
    granted_ = left_ = 0;
    return false;
}

Status Budget::status() const {
    switch (stop_) {
        case Stop::kNone:
            return {};
        case Stop::kPageTime:
        case Stop::kQueryTime:
            return Error(ErrorCode::kTimeout,
                         "The query exceeds the time limit of one request; narrow its filter or "
                         "aggregate fewer items.");
        case Stop::kGivenUp:
            return Error(ErrorCode::kThrottled, "Too many long queries are running; retry later.");
        case Stop::kWork:
            if (limits_.may_go_on_elsewhere) {
                return Error(ErrorCode::kWouldBlock, "The query is too long for this thread.");
            }
            return Error(ErrorCode::kBadRequest,
                         "The query does more work than the limit of " +
                             std::to_string(limits_.work_max) + " steps allows.");
        case Stop::kMemory:
            return Error(ErrorCode::kBadRequest,
                         "The values, rows and groups that the query holds in memory exceed the "
                         "maximum of " +
                             std::to_string(limits_.memory_max) + " bytes.");
        case Stop::kPool:
            return Error(ErrorCode::kThrottled,
                         "The queries that are running use all memory set aside for queries; "
                         "retry later.");
    }
    return {};
}

}  // namespace orrery::sql
