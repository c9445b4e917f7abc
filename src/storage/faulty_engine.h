// A decorator that makes any engine fail on demand, to test code built on engines. Run the
// operation under test with the Nth write failing, for every N up to writes(), then reopen and
// check.

#pragma once

#include <cstdint>
#include <memory>

#include "storage/engine.h"

namespace orrery::storage {

enum class Fault : std::uint8_t {
    kFail,         // the write returns kUnavailable and changes nothing; the next one works
    kCrashBefore,  // the machine stops: the write is lost
    kCrashAfter,   // the machine stops: the write is stored but not acknowledged
};

// Shared by the decorator, its handles and its cursors.
class FaultState;

// A write is the commit of a non-empty batch, or a drop. After a crash everything returns
// kUnavailable, reads too, until reopen(); older handles, snapshots and cursors stay unusable.
class FaultyEngine final : public Engine {
public:
    // `inner` must outlive this.
    explicit FaultyEngine(Engine& inner);

    // The `nth` write from now (1 is the next) fails this way. One fault at a time.
    void inject(Fault fault, std::uint64_t nth);

    // Cancels the fault if it has not happened yet.
    void clear();

    // Restarts after a crash, with the count at zero and no fault.
    void reopen();

    bool crashed() const;

    // Writes attempted since the start or the last reopen().
    std::uint64_t writes() const;

    Result<std::shared_ptr<PartitionStore>> open(PartitionId id) override;
    Status drop(PartitionId id) override;
    std::uint64_t size_on_disk() const override;
    EngineStats stats() const override { return inner_.stats(); }

private:
    Engine& inner_;
    std::shared_ptr<FaultState> state_;
};

}  // namespace orrery::storage
