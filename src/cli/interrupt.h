// Ctrl-C and SIGTERM for tools: the first ends the work in an orderly way, the second at once.
// Interactive tools take any number of them.

#pragma once

#include <atomic>

namespace orrery::cli {

enum class SecondSignal {
    kEndsProcess,  // at once
    kIsNoted,      // like the first
};

// Handles SIGINT and SIGTERM while it lives, and SIGHUP if it notes all signals; one at a time.
// Threads that wait need to look at the flag.
class Interrupt {
public:
    explicit Interrupt(SecondSignal second = SecondSignal::kEndsProcess);
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt();

    // Set by each of the signals.
    const std::atomic<bool>& flag() const;
    // Waits until there is something to read from this file, or its end. False if a signal came
    // first, also one of which only its handler knows.
    bool wait_for_input(int file) const;
    // The signal that asks the process to end, SIGTERM or SIGHUP; 0 if there was none.
    int ending() const;
    // Clears the flag after Ctrl-C, for the next operation. It stays if the process is to end.
    void forget();
};

}  // namespace orrery::cli
