#include "gateway/request_monitor.h"

#include <algorithm>
#include <cmath>

#include "base/log.h"
#include "base/stopwatch.h"

namespace orrery::gateway {

std::string_view Operation::name() const {
    if (index_ < auth::kActions) return auth::name_of(static_cast<auth::Action>(index_));
    return index_ == probe().index_ ? "Probe" : "Unknown";
}

std::size_t RequestMonitor::place_of(unsigned status) {
    return static_cast<std::size_t>(std::find(kStatuses.begin(), kStatuses.end(), status) -
                                    kStatuses.begin());
}

void RequestMonitor::count(Operation operation,
                           unsigned status,
                           std::chrono::nanoseconds took,
                           double request_units) {
    Counts& counts = counts_.mine()[operation.index()];
    counts.statuses[place_of(status)].add(1);
    counts.times.add(took);
    if (request_units > 0) {
        counts.charge_hundredths.add(static_cast<std::uint64_t>(std::lround(request_units * 100)));
    }
}

void RequestMonitor::count_refused(unsigned status) {
    counts_.mine()[Operation::unknown().index()].statuses[place_of(status)].add(1);
}

std::vector<RequestMonitor::OperationStats> RequestMonitor::stats() const {
    std::vector<OperationStats> out;
    for (std::size_t i = 0; i < Operation::kCount; ++i) {
        OperationStats stats = stats_of(Operation(i));
        if (!stats.statuses.empty()) out.push_back(std::move(stats));
    }
    return out;
}

RequestMonitor::OperationStats RequestMonitor::stats_of(Operation operation) const {
    using Slot = std::array<Counts, Operation::kCount>;
    const auto sum = [&](auto part) {
        return counts_.sum([&](const Slot& slot) -> const metrics::Count& {
            return part(slot[operation.index()]);
        });
    };
    OperationStats out{.operation = operation.name(), .statuses = {}, .times = {}};
    for (std::size_t i = 0; i <= kStatuses.size(); ++i) {
        const std::uint64_t count =
            sum([i](const Counts& counts) -> const auto& { return counts.statuses[i]; });
        if (count > 0) {
            out.statuses.push_back(
                {.status = i < kStatuses.size() ? kStatuses[i] : 0, .count = count});
        }
    }
    out.times = metrics::sum_times(counts_, [&](const Slot& slot) -> const metrics::TimeCounts& {
        return slot[operation.index()].times;
    });
    const std::uint64_t hundredths =
        sum([](const Counts& counts) -> const auto& { return counts.charge_hundredths; });
    out.request_units = static_cast<double>(hundredths) / 100;
    return out;
}

void RequestMonitor::log_failure(const Failure& failure) {
    const auto left_out = failures_logged_.allow(monotonic_now());
    if (!left_out) return;
    std::vector<log::Field> fields = {{"activity_id", failure.activity_id},
                                      {"operation", failure.operation.name()},
                                      {"status", failure.status},
                                      {"sub_status", failure.sub_status},
                                      {"reason", failure.reason}};
    if (failure.trace) {
        fields.emplace_back("trace_id", failure.trace->trace_id);
        fields.emplace_back("parent_id", failure.trace->parent_id);
    }
    if (*left_out > 0) fields.emplace_back("left_out", *left_out);
    log::write(log::Level::kError, "request_failed", fields);
}

}  // namespace orrery::gateway
