#include "cli/progress.h"

#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

#include "base/stopwatch.h"

namespace orrery::cli {

namespace {

constexpr std::chrono::seconds kPlainLines{10};

// Of the terminal, so that a line that is too long does not scroll it.
std::size_t columns() {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

// Cuts UTF-8 text after so many characters.
std::string shortened(std::string text, std::size_t characters_max) {
    std::size_t characters = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool first = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
        if (first && characters++ == characters_max) return text.substr(0, at);
    }
    return text;
}

}  // namespace

void ProgressCounts::add_charge(double units) {
    double seen = charge.load(std::memory_order_relaxed);
    while (!charge.compare_exchange_weak(seen, seen + units, std::memory_order_relaxed)) {
    }
}

std::string grouped(std::uint64_t number) {
    std::string out = std::to_string(number);
    for (std::size_t at = out.size(); at > 3; at -= 3) {
        out.insert(at - 3, 1, ',');
    }
    return out;
}

std::string printed_duration(std::chrono::nanoseconds time) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
    if (seconds < 60) return fmt::format("{} s", seconds);
    if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
    return fmt::format("{} h {} min", seconds / 3600, seconds % 3600 / 60);
}

std::string progress_line(const std::string& verb,
                          const ProgressCounts& counts,
                          std::chrono::nanoseconds elapsed) {
    const double seconds = std::max(std::chrono::duration<double>(elapsed).count(), 0.001);
    const std::uint64_t items = counts.items;
    const auto rate = [&](double amount) {
        return grouped(static_cast<std::uint64_t>(amount / seconds));
    };
    std::string out = fmt::format("{} {} items", verb, grouped(items));
    if (counts.failed > 0) out += fmt::format(" · {} failed", grouped(counts.failed));
    out += fmt::format(" · {}/s", rate(static_cast<double>(items)));
    if (counts.charge > 0) out += fmt::format(" · {} RU/s", rate(counts.charge));
    const auto done = static_cast<double>(counts.done.load());
    const auto total = static_cast<double>(counts.total.load());
    if (total > 0) out += fmt::format(" · {:.0f} %", 100 * std::min(1.0, done / total));
    if (total > 0 && done > 0 && done < total) {
        const std::chrono::duration<double> left(seconds * (total - done) / done);
        out += " · " +
               printed_duration(std::chrono::duration_cast<std::chrono::nanoseconds>(left)) +
               " left";
    } else {
        out += " · " + printed_duration(elapsed);
    }
    return out;
}

Progress::Progress(Line line, Options options)
    : line_(std::move(line)), options_(options), terminal_(isatty(STDERR_FILENO) == 1) {
    if (!options_.quiet) thread_ = std::thread([this] { run(); });
}

Progress::Progress(std::string verb, const ProgressCounts& counts, bool quiet)
    : Progress(
          [verb = std::move(verb), &counts, start = monotonic_now()] {
              return progress_line(verb, counts, monotonic_now() - start);
          },
          Options{.quiet = quiet}) {}

Progress::~Progress() {
    if (!thread_.joinable()) return;
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
    show(true);
}

void Progress::run() {
    const std::chrono::milliseconds interval = terminal_ ? options_.redraw : kPlainLines;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, interval, [this] { return stopping_; })) {
        show(false);
    }
}

void Progress::show(bool last) {
    const std::string line = line_();
    if (terminal_) {
        const std::string fitting = shortened(line, columns() - 1);
        std::fprintf(stderr, "\r%s\x1b[K%s", fitting.c_str(), last ? "\n" : "");
    } else {
        std::fprintf(stderr, "%s\n", line.c_str());
    }
    std::fflush(stderr);
}

}  // namespace orrery::cli
