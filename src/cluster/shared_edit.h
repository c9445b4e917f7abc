// Changing a shared object that several nodes change: read, change, write if nobody else was
// faster, else again.

#pragma once

#include <string>

#include "base/result.h"
#include "cluster/counts.h"
#include "storage/shared_objects.h"

namespace orrery::cluster {

// Where more nodes than this are faster, something is wrong.
inline constexpr int kEditAttemptsMax = 32;
// A write that timed out may have taken long; do not keep the caller for many of them.
inline constexpr int kUnknownOutcomesMax = 3;

// A newer coordinator has written this.
inline Error deposed() {
    return Error(ErrorCode::kFenced, "another node has become the coordinator");
}

inline bool has_unknown_outcome(const Error& error) {
    return error.code() == ErrorCode::kTimeout || error.code() == ErrorCode::kUnavailable;
}

// What an object held at some version.
template <typename Record>
struct Versioned {
    Record record;
    storage::SharedObjects::Version version = storage::SharedObjects::kAbsent;
    bool may_be_outdated = false;
};

// `read` returns a Versioned<Record>, given the number of the attempt; only at the first one it may
// be outdated. `change` changes the record and returns true, or returns false if it needs no
// change: it runs again if another node was faster and if the outcome of a write is unknown, and
// then finds its own change if that was applied.
template <typename Record, typename Read, typename Change>
Result<Versioned<Record>> edit(storage::SharedObjects& objects,
                               std::string_view name,
                               Counts& counts,
                               Read&& read,
                               Change&& change) {
    int unknown = 0;
    for (int attempt = 0; attempt < kEditAttemptsMax; ++attempt) {
        Versioned<Record> current = TRY(read(attempt));
        const bool changed = TRY(change(current.record));
        if (!changed && !current.may_be_outdated) return current;
        if (!changed) continue;
        const auto written = objects.write(name, current.record.encode(), current.version);
        if (written) {
            current.version = *written;
            return current;
        }
        const bool conflict = written.error().code() == ErrorCode::kPreconditionFailed;
        if (!conflict && !has_unknown_outcome(written.error())) return written.error().copy();
        counts.add(conflict ? &MemberCounts::conflicts : &MemberCounts::errors);
        if (!conflict && ++unknown == kUnknownOutcomesMax) return written.error().copy();
    }
    return Error(ErrorCode::kUnavailable,
                 "'" + std::string(name) + "' is changed by too many nodes at once");
}

// For records that are not kept: reads the object first. Returns the version that the last call of
// `change` saw, or wrote. An object that does not exist reads as a default Record.
template <typename Record, typename Change>
Result<storage::SharedObjects::Version> edit_object(storage::SharedObjects& objects,
                                                    std::string_view name,
                                                    Counts& counts,
                                                    Change&& change) {
    const auto read = [&](int) -> Result<Versioned<Record>> {
        const auto value = TRY(objects.read(name));
        if (!value) return Versioned<Record>();
        return Versioned<Record>{TRY(Record::decode(value->bytes)), value->version, false};
    };
    const auto edited = edit<Record>(objects, name, counts, read, change);
    if (!edited) return edited.error().copy();
    return edited->version;
}

}  // namespace orrery::cluster
