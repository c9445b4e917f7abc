// Ctrl-C and SIGTERM for tools: the first ends the work in an orderly way, the second at once.

#pragma once

#include <atomic>

namespace orrery::cli {

// Handles SIGINT and SIGTERM while it lives; one at a time. Threads that wait need to look at the
// flag.
class Interrupt {
public:
    Interrupt();
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;
    ~Interrupt();

    const std::atomic<bool>& flag() const;
};

}  // namespace orrery::cli
