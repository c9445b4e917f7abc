// The storage interface: ordered bytes, atomic within one partition. It knows nothing about items,
// and callers do not know which engine is underneath. Every engine passes engine_conformance.h.
//
// An Engine holds many partitions. A PartitionStore is one of them: an ordered map from byte string
// to byte string, compared bytewise (unsigned). Atomicity ends at the partition: nothing here spans
// two of them; a change across partitions needs a protocol that can be restarted at every step.
//
// Errors are kUnavailable (the medium is full or gone; nothing was written, try later), kCorrupted
// (bytes are not what was written) and kFenced (another node owns the partition now).

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/engine_stats.h"
#include "storage/write_batch.h"

namespace orrery::storage {

// On disk, as four bytes big endian. Never reused after a drop.
using PartitionId = std::uint32_t;
inline constexpr PartitionId kCatalogPartition = 0;

enum class Direction : std::uint8_t { kForward, kBackward };

// Keys k with from <= k < until, compared bytewise. Without `until`, to the end.
struct Range {
    std::string from;
    std::optional<std::string> until;
};

// Walks a range of the state it was opened on, unaffected by later commits. Used by one thread.
class Cursor {
public:
    Cursor() = default;
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;
    virtual ~Cursor() = default;

    // True while on an entry; false at the end or after an error (see status()).
    virtual bool valid() const = 0;
    // Views are valid until next() or the cursor's destruction.
    virtual std::string_view key() const = 0;
    virtual std::string_view value() const = 0;
    virtual void next() = 0;
    // Moves forward to the key, or to the first after it in the cursor's direction. Never moves
    // back: for a key already passed, the cursor stays.
    virtual void seek(std::string_view key) = 0;
    virtual Status status() const = 0;
};

// A readable state. Thread-safe.
class Reader {
public:
    Reader() = default;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    virtual ~Reader() = default;

    // True and `value` set if the key exists; otherwise false and `value` unspecified.
    virtual Result<bool> get(std::string_view key, std::string& value) const = 0;

    // The same without waiting for the medium: kWouldBlock if the answer is not in memory.
    virtual Result<bool> get_from_memory(std::string_view key, std::string& value) const {
        return get(key, value);
    }

    // The values of many keys, in the order of the keys, all from the same state.
    virtual Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const = 0;

    // A cursor on the first entry of the range in that direction. kBackward starts at the last key
    // below `until` and goes down to `from`.
    virtual std::unique_ptr<Cursor> scan(const Range& range, Direction direction) const = 0;
};

// One partition. As a Reader it shows the newest committed state.
class PartitionStore : public Reader {
public:
    // The current state; it does not change while referenced.
    virtual std::shared_ptr<const Reader> snapshot() const = 0;
    // The same without ever waiting for the medium: reads and cursors fail with kWouldBlock where
    // the data is not in memory.
    virtual std::shared_ptr<const Reader> snapshot_in_memory() const { return snapshot(); }

    using Done = std::function<void(Status)>;

    // Applies the whole batch and reports success once it is on stable storage, or applies nothing
    // and reports an error. An empty batch succeeds without touching the medium.
    //
    // `done` is called exactly once, on any thread, possibly before this returns; it must neither
    // block nor throw. Until then the batch must not change, and the partition must not start
    // another commit. Commits of different partitions may run in parallel and share a sync.
    //
    // After an error the old state remains, now and after a restart, with one exception: if the
    // machine stops before the engine has recovered from a failed sync, the whole batch may be
    // applied.
    virtual void start_commit(const WriteBatch& batch, Done done) = 0;

    // The same, but waits for the outcome.
    Status commit(const WriteBatch& batch);
};

class Engine {
public:
    Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    virtual ~Engine() = default;

    // Opens a partition, which is new and empty if it was never opened. Opening it twice gives two
    // handles on the same data. Destroy all handles before the engine.
    virtual Result<std::shared_ptr<PartitionStore>> open(PartitionId id) = 0;

    // Removes a partition and its data permanently; succeeds if it does not exist. Destroy all
    // handles on it before. Safe to repeat after a crash.
    virtual Status drop(PartitionId id) = 0;

    // Approximate number of bytes on the medium.
    virtual std::uint64_t size_on_disk() const = 0;

    // May take as long as a read from the medium.
    virtual EngineStats stats() const = 0;
};

}  // namespace orrery::storage
