#include "cli/interrupt.h"

#include <signal.h>

#include "base/check.h"

namespace orrery::cli {

namespace {

std::atomic<bool> interrupted;
std::atomic<bool> in_use;
struct sigaction previous_interrupt;
struct sigaction previous_termination;

void note(int /*signal*/) { interrupted = true; }

}  // namespace

Interrupt::Interrupt() {
    CHECK(!in_use.exchange(true));
    interrupted = false;
    struct sigaction action {};
    action.sa_handler = note;
    // The second signal does what it does by default. Without SA_RESTART, blocking reads end.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &previous_interrupt);
    sigaction(SIGTERM, &action, &previous_termination);
}

Interrupt::~Interrupt() {
    sigaction(SIGINT, &previous_interrupt, nullptr);
    sigaction(SIGTERM, &previous_termination, nullptr);
    in_use = false;
}

const std::atomic<bool>& Interrupt::flag() const { return interrupted; }

}  // namespace orrery::cli
