// The storage seam: ordered bytes, atomic within one partition. It knows nothing about items, and
// nothing above it knows which engine is underneath. Every engine passes engine_conformance.h.
//
// An Engine holds many partitions. A PartitionStore is one of them: an ordered map from byte string
// to byte string, compared bytewise (unsigned). Atomicity ends at the partition: nothing here spans
// two of them, and whoever needs that writes a protocol that can be restarted at every step.
//
// Errors are kUnavailable (the medium refused: full, gone; nothing was written, try later),
// kCorrupted (bytes are not what was written) and kFenced (another node owns the partition now).

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/write_batch.h"

namespace orrery::storage {

// On disk, as four bytes big endian. Never reused after a drop. Zero is the catalog.
using PartitionId = std::uint32_t;

enum class Direction : std::uint8_t { kForward, kBackward };

// Keys k with from <= k < until, compared bytewise. No `until` means: to the end.
struct Range {
    std::string from;
    std::optional<std::string> until;
};

// Walks a range of the state it was opened on, whatever is committed meanwhile. Used by one thread.
class Cursor {
public:
    Cursor() = default;
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;
    virtual ~Cursor() = default;

    // True while the cursor stands on an entry; false at the end or after an error (see status()).
    virtual bool valid() const = 0;
    // Views are good until next() or the cursor's end.
    virtual std::string_view key() const = 0;
    virtual std::string_view value() const = 0;
    virtual void next() = 0;
    // Moves on to the key, or to the first behind it in the cursor's direction. Never goes back: a
    // key that has been passed leaves the cursor where it is.
    virtual void seek(std::string_view key) = 0;
    virtual Status status() const = 0;
};

// A state that can be read, from any number of threads at once.
class Reader {
public:
    Reader() = default;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    virtual ~Reader() = default;

    // True and `value` filled when the key is there; false and `value` unspecified when not.
    virtual Result<bool> get(std::string_view key, std::string& value) const = 0;

    // The values of many keys, in the order of the keys, all of the same state.
    virtual Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const = 0;

    // A cursor on the first entry of the range in that direction. kBackward starts at the last key
    // below `until` and goes down to `from`.
    virtual std::unique_ptr<Cursor> scan(const Range& range, Direction direction) const = 0;
};

// One partition. As a Reader it shows the newest committed state.
class PartitionStore : public Reader {
public:
    // The state as of now; it does not change until the last reference is gone.
    virtual std::shared_ptr<const Reader> snapshot() const = 0;

    // Applies the whole batch and returns once it is on stable storage, or applies nothing and says
    // why. An empty batch succeeds without touching the medium. Calls for one partition come from
    // one thread at a time; calls for different partitions may run in parallel and share a sync.
    //
    // After an error the outcome is the old state, now and after a restart, with one exception: if
    // the machine stops before the engine has recovered from a failed sync, the batch may be there
    // as a whole.
    virtual Status commit(const WriteBatch& batch) = 0;
};

class Engine {
public:
    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    // Opens a partition, new and empty if it has never been opened. Opening it twice gives two
    // handles on the same data. Handles must be gone before the engine is.
    virtual Result<std::shared_ptr<PartitionStore>> open(PartitionId id) = 0;

    // Removes a partition and its data for good; one that does not exist is no error. Handles on it
    // must be gone. May be repeated after a crash in the middle.
    virtual Status drop(PartitionId id) = 0;

    // Bytes the engine holds on its medium, approximately.
    virtual std::uint64_t size_on_disk() const = 0;
};

}  // namespace orrery::storage
