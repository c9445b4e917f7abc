#include "cli/interrupt.h"

#include <array>
#include <signal.h>

#include "base/check.h"

namespace orrery::cli {

namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<bool> interrupted;
std::atomic<int> ending_signal;
std::atomic<bool> in_use;
std::array<struct sigaction, kSignals.size()> previous;

void note(int signal) {
    if (signal != SIGINT) ending_signal = signal;
    interrupted = true;
}

}  // namespace

Interrupt::Interrupt(SecondSignal second) {
    CHECK(!in_use.exchange(true));
    interrupted = false;
    ending_signal = 0;
    struct sigaction action {};
    action.sa_handler = note;
    const bool notes_all = second == SecondSignal::kIsNoted;
    // Without SA_RESTART, blocking reads end.
    action.sa_flags = notes_all ? 0 : static_cast<int>(SA_RESETHAND);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        const bool handled = notes_all || kSignals[i] != SIGHUP;
        sigaction(kSignals[i], handled ? &action : nullptr, &previous[i]);
    }
}

Interrupt::~Interrupt() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &previous[i], nullptr);
    }
    in_use = false;
}

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

int Interrupt::ending() const { return ending_signal; }

void Interrupt::forget() {
    interrupted = false;
    // In this order, because the signal may come in between.
    if (ending_signal != 0) interrupted = true;
}

}  // namespace orrery::cli
