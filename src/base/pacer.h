// How long-running work gives way to other work.

#pragma once

namespace orrery {

class Pacer {
public:
    Pacer() = default;
    Pacer(const Pacer&) = delete;
    Pacer& operator=(const Pacer&) = delete;
    virtual ~Pacer() = default;

    // Call whenever the work has run for another time slice. May block while other work runs. False
    // if the work should be given up, because too much of its kind is waiting.
    [[nodiscard]] virtual bool slice_used() = 0;
};

}  // namespace orrery
