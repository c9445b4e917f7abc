// An engine that fails on demand, over any other: for tests of what is built on the seam. Run the
// operation under test with the Nth write failing, for every N up to writes(), then reopen and
// check; every promise about half-done work is a loop like that.

#pragma once

#include <cstdint>
#include <memory>

#include "storage/engine.h"

namespace orrery::storage {

enum class Fault : std::uint8_t {
    kFail,         // the write answers kUnavailable and changes nothing; the next one works
    kCrashBefore,  // the machine stops: the write is lost
    kCrashAfter,   // the machine stops: the write is there, but nobody was told
};

// What the decorator, its handles and its cursors share.
class FaultState;

// A write is a commit of a batch that is not empty, or a drop. After a crash everything answers
// kUnavailable, reads too, until reopen(); handles, snapshots and cursors from before stay dead.
class FaultyEngine final : public Engine {
public:
    // `inner` must outlive this.
    explicit FaultyEngine(Engine& inner);

    // The write that comes `nth` from now (1 is the next) suffers the fault. One at a time.
    void inject(Fault fault, std::uint64_t nth);

    // Forgets the fault, if it has not happened yet.
    void clear();

    // Starts over after a crash, with an empty count and no fault.
    void reopen();

    bool crashed() const;

    // Writes attempted since the start or the last reopen().
    std::uint64_t writes() const;

    Result<std::shared_ptr<PartitionStore>> open(PartitionId id) override;
    Status drop(PartitionId id) override;
    std::uint64_t size_on_disk() const override;

private:
    Engine& inner_;
    std::shared_ptr<FaultState> state_;
};

}  // namespace orrery::storage
