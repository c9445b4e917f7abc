#include "tools/bench/phase.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "cli/progress.h"

namespace orrery::tools::bench {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// How soon an interruption is noticed.
constexpr milliseconds kSlice{50};

std::string counted(double number) {
    return number < 100 ? fmt::format("{:.1f}", number)
                        : cli::grouped(static_cast<std::uint64_t>(number));
}

}  // namespace

Phase::Phase(PhaseOptions options,
             const client::Account& account,
             const Space& space,
             ItemNumbers& numbers,
             const ItemChooser& chooser,
             const std::atomic<bool>& interrupted)
    : options_(std::move(options)),
      account_(account),
      space_(space),
      numbers_(numbers),
      chooser_(chooser),
      interrupted_(interrupted),
      connected_(static_cast<std::ptrdiff_t>(options_.connections)),
      working_(options_.connections) {}

PhaseResult Phase::run(bool quiet) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < options_.connections; ++i) {
        threads.emplace_back([this, i] { work(i); });
    }
    while (!connected_.try_wait() && !interrupted_) {
        std::this_thread::sleep_for(milliseconds(1));
    }
    if (interrupted_) ending_ = true;
    connected_.wait();
    start_ = monotonic_now();
    if (options_.duration.count() > 0) deadline_ = start_ + options_.duration;
    if (options_.rate > 0) schedule_.emplace(start_, options_.rate);
    if (options_.request_units > 0) pacer_.emplace(start_, options_.request_units);
    {
        const cli::Progress progress([this] { return live_line(); },
                                     {.quiet = quiet, .redraw = seconds(1)});
        started_.count_down();
        watch();
        for (std::thread& thread : threads) {
            thread.join();
        }
        finish(monotonic_now() - start_);
    }
    return result_;
}

void Phase::work(std::size_t thread) {
    client::Client client(account_, clock_, {}, &ending_);
    connect(client);
    connected_.count_down();
    started_.wait();
    work_on(thread, client);
    {
        const std::lock_guard lock(mutex_);
        --working_;
    }
    changed_.notify_all();
}

void Phase::connect(client::Client& client) {
    const auto response = client.call({.path = space_.container});
    if (response || ending_) return;
    const ErrorCode code = response.error().code();
    const bool hopeless = code == ErrorCode::kUnavailable || code == ErrorCode::kUnauthorized ||
                          code == ErrorCode::kNotFound;
    if (hopeless) fail(response.error().message());
}

void Phase::work_on(std::size_t thread, client::Client& client) {
    const std::uint64_t seed = RandomStream::combined(space_.seed, thread);
    Operations operations(client, space_, numbers_, chooser_.with_seed(seed), ending_);
    if (options_.upsert) operations.use_upserts();
    RandomStream mix(RandomStream::combined(seed, 1));
    while (take_turn()) {
        carry_out(thread, operations, options_.workload.operation(mix.below(100)));
    }
}

void Phase::carry_out(std::size_t thread, Operations& operations, Operation operation) {
    RequestUnitPacer::Admission admission;
    Time start;
    if (schedule_) {
        start = schedule_->next();
        if (!wait_until(start)) {
            if (start < deadline_.value_or(monotonic_now())) ++abandoned_;
            return;
        }
    } else if (pacer_) {
        admission = pacer_->admit(monotonic_now());
        if (!wait_until(admission.at)) return;
    }
    if (!schedule_) start = monotonic_now();
    const Outcome outcome = operations.perform(operation);
    recorder_.add(thread, operation, outcome, monotonic_now() - start);
    if (pacer_) pacer_->settle(admission, outcome.charge);
    if (outcome.hopeless && outcome.finished) fail(outcome.problem);
}

bool Phase::take_turn() {
    if (ending_) return false;
    return options_.count == 0 || turns_++ < options_.count;
}

bool Phase::wait_until(Time time) const {
    while (!ending_) {
        const Time now = monotonic_now();
        if (now >= time) return true;
        std::this_thread::sleep_for(std::min<nanoseconds>(time - now, kSlice));
    }
    return false;
}

void Phase::watch() {
    Time next_cut = start_ + seconds(1);
    std::unique_lock lock(mutex_);
    while (working_ > 0) {
        const Time now = monotonic_now();
        if (interrupted_) ending_ = true;
        if (deadline_ && now >= *deadline_) ending_ = true;
        if (now >= next_cut) {
            lock.unlock();
            const Sample sample = recorder_.cut(now - start_);
            lock.lock();
            latest_ = sample;
            next_cut = std::max(next_cut + seconds(1), now);
        }
        Time until = std::min(next_cut, now + kSlice);
        if (deadline_ && !ending_) until = std::min(until, *deadline_);
        changed_.wait_until(lock, until, [this] { return working_ == 0; });
    }
}

void Phase::finish(nanoseconds elapsed) {
    const Sample sample = recorder_.cut(elapsed);
    const std::lock_guard lock(mutex_);
    if (recorder_.samples().size() == 1) latest_ = sample;
    result_.elapsed = elapsed;
    result_.interrupted = interrupted_ && !result_.problem;
    if (!schedule_) return;
    std::uint64_t overdue =
        schedule_->overdue(deadline_ ? std::min(*deadline_, start_ + elapsed) : start_ + elapsed);
    if (options_.count > 0) {
        const std::uint64_t turns = turns_;
        overdue = std::min(overdue, options_.count - std::min(options_.count, turns));
    }
    result_.unsent = overdue + abandoned_;
}

void Phase::fail(const std::string& problem) {
    {
        const std::lock_guard lock(mutex_);
        if (!result_.problem) result_.problem = problem;
    }
    ending_ = true;
}

std::string Phase::live_line() const {
    const Totals sum = recorder_.sum();
    Sample latest;
    {
        const std::lock_guard lock(mutex_);
        latest = latest_;
    }
    std::string out =
        fmt::format("{} · {} operations", options_.verb, cli::grouped(sum.operations()));
    if (latest.length.count() > 0) {
        out += fmt::format(" · {}/s · {} RU/s · p50 {:.2f} ms · p99 {:.2f} ms",
                           counted(latest.throughput()),
                           counted(latest.charge_rate()),
                           milliseconds_of(latest.p50),
                           milliseconds_of(latest.p99));
    }
    if (sum.errors > 0) out += fmt::format(" · {} errors", cli::grouped(sum.errors));
    if (sum.throttled > 0) out += fmt::format(" · {} throttled", cli::grouped(sum.throttled));
    return out;
}

}  // namespace orrery::tools::bench
