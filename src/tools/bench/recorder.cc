#include "tools/bench/recorder.h"

namespace orrery::tools::bench {

namespace {

void count(Totals& totals, const Outcome& outcome, std::chrono::nanoseconds latency) {
    totals.throttled += outcome.throttled;
    totals.conflicts += outcome.conflicts;
    totals.charge += outcome.charge;
    if (!outcome.finished) return;
    if (!outcome.problem.empty()) {
        ++totals.errors;
        return;
    }
    totals.latencies.add(latency);
    totals.latency_sum += latency;
    totals.items += outcome.items;
    totals.charge_succeeded += outcome.charge;
}

void add_failures(FailuresByStatus& to, unsigned status, const Failures& more) {
    Failures& failures = to[status];
    if (failures.count == 0) failures.example = more.example;
    failures.count += more.count;
}

}  // namespace

void Totals::add(const Totals& other) {
    latencies.add(other.latencies);
    latency_sum += other.latency_sum;
    errors += other.errors;
    throttled += other.throttled;
    conflicts += other.conflicts;
    items += other.items;
    charge += other.charge;
    charge_succeeded += other.charge_succeeded;
}

void Recorder::add(std::size_t thread,
                   Operation operation,
                   const Outcome& outcome,
                   std::chrono::nanoseconds latency) {
    Part& part = (*parts_)[thread % kParts];
    const std::lock_guard lock(part.mutex);
    count(part.totals[static_cast<std::size_t>(operation)], outcome, latency);
    count(part.since_cut, outcome, latency);
    if (outcome.finished && !outcome.problem.empty()) {
        add_failures(part.failures, outcome.status, {.count = 1, .example = outcome.problem});
    }
}

const Sample& Recorder::cut(std::chrono::nanoseconds since_start) {
    Totals all;
    for (Part& part : *parts_) {
        const std::lock_guard lock(part.mutex);
        all.add(part.since_cut);
        part.since_cut = {};
    }
    last_ = {.until = since_start,
             .length = since_start - last_.until,
             .operations = all.operations(),
             .errors = all.errors,
             .throttled = all.throttled,
             .charge = all.charge,
             .p50 = all.latencies.quantile(0.5),
             .p90 = all.latencies.quantile(0.9),
             .p99 = all.latencies.quantile(0.99),
             .max = all.latencies.max()};
    if (samples_.size() < kSamplesMax) samples_.push_back(last_);
    return last_;
}

std::unique_ptr<TotalsByOperation> Recorder::totals() const {
    auto out = std::make_unique<TotalsByOperation>();
    for (const Part& part : *parts_) {
        const std::lock_guard lock(part.mutex);
        for (std::size_t i = 0; i < kOperations; ++i) {
            (*out)[i].add(part.totals[i]);
        }
    }
    return out;
}

Totals Recorder::sum() const {
    Totals out;
    const auto by_operation = totals();
    for (const Totals& one : *by_operation) {
        out.add(one);
    }
    return out;
}

FailuresByStatus Recorder::failures() const {
    FailuresByStatus out;
    for (const Part& part : *parts_) {
        const std::lock_guard lock(part.mutex);
        for (const auto& [status, failures] : part.failures) {
            add_failures(out, status, failures);
        }
    }
    return out;
}

}  // namespace orrery::tools::bench
