// Small named values that all nodes of a cluster see, changed by compare-and-set: membership,
// leases, assignments. Reads are linearizable. It knows nothing of what the values mean.
//
// kUnavailable and kTimeout mean that the outcome is unknown: a write may or may not have been
// applied. Read again before relying on either.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::storage {

class SharedObjects {
public:
    // Of a value, from 1 on; never the same for two values of one name, even if it was removed in
    // between.
    using Version = std::uint64_t;
    static constexpr Version kAbsent = 0;

    struct Value {
        std::string bytes;
        Version version = kAbsent;
    };

    // Ends the watch when destroyed, which must be before the SharedObjects is.
    using Watch = std::shared_ptr<void>;

    SharedObjects() = default;
    SharedObjects(const SharedObjects&) = delete;
    SharedObjects& operator=(const SharedObjects&) = delete;
    virtual ~SharedObjects() = default;

    // Nothing if there is no such object.
    virtual Result<std::optional<Value>> read(std::string_view name) = 0;

    // Replaces the value if its version is still the expected one; kAbsent creates it. Returns the
    // new version. kPreconditionFailed, with nothing changed, if the version is another.
    virtual Result<Version> write(std::string_view name,
                                  std::string_view bytes,
                                  Version expected) = 0;

    // Removes it if its version is still the expected one. kPreconditionFailed otherwise, also if
    // it is gone.
    virtual Status remove(std::string_view name, Version expected) = 0;

    // The names that begin so, in bytewise order. May miss objects that are created meanwhile.
    virtual Result<std::vector<std::string>> list(std::string_view prefix) = 0;

    // Calls back, from a thread of its own, soon after somebody has called notify(name). Hints
    // only: they may be lost or come twice. The object must exist.
    virtual Result<Watch> watch(std::string_view name, std::function<void()> on_notify) = 0;
    virtual Status notify(std::string_view name) = 0;
};

}  // namespace orrery::storage
