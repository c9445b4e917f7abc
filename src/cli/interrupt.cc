#include "cli/interrupt.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/check.h"

namespace orrery::cli {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupted;
std::atomic<int> ending_signal;
std::atomic<bool> in_use;
std::array<struct sigaction, kSignals.size()> previous;

// Has a byte for each signal, so that it can be waited for together with input: a signal may come
// between a look at the flag and the wait, or in another thread.
std::array<int, 2> wakeups = {-1, -1};

void note(int signal) {
    const int before = errno;
    if (signal != SIGINT) ending_signal = signal;
    interrupted = true;
    // It may be full, which wakes as well.
    [[maybe_unused]] const ssize_t written = ::write(wakeups[1], "", 1);
    errno = before;
}

// As nohup does with SIGHUP.
bool is_ignored(const struct sigaction& action) { return action.sa_handler == SIG_IGN; }

}  // namespace

Interrupt::Interrupt(SecondSignal second) {
    CHECK(!in_use.exchange(true));
    interrupted = false;
    ending_signal = 0;
    CHECK(::pipe2(wakeups.data(), O_CLOEXEC | O_NONBLOCK) == 0);
    struct sigaction action {};
    action.sa_handler = note;
    const bool notes_all = second == SecondSignal::kIsNoted;
    // Without SA_RESTART, blocking reads end.
    action.sa_flags = notes_all ? 0 : static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &previous[i]);
        if (kSignals[i] == SIGHUP && (!notes_all || is_ignored(previous[i]))) continue;
        sigaction(kSignals[i], &action, nullptr);
    }
}

Interrupt::~Interrupt() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &previous[i], nullptr);
    }
    for (const int file : wakeups) {
        ::close(file);
    }
    in_use = false;
}

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

int Interrupt::ending() const { return ending_signal; }

bool Interrupt::wait_for_input(int file) const {
    if (interrupted) return false;
    std::array<pollfd, 2> files = {pollfd{.fd = file, .events = POLLIN, .revents = 0},
                                   pollfd{.fd = wakeups[0], .events = POLLIN, .revents = 0}};
    return ::poll(files.data(), files.size(), -1) > 0 && files[1].revents == 0;
}

void Interrupt::forget() {
    std::array<char, 64> bytes{};
    while (::read(wakeups[0], bytes.data(), bytes.size()) > 0) {
    }
    interrupted = false;
    // In this order, because the signal may come in between.
    if (ending_signal != 0) interrupted = true;
}

}  // namespace orrery::cli
