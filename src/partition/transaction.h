// Writes that are tried on a snapshot and applied later, all together, if no one else has changed
// the same items: what a script does. A transaction sees its own writes; others see them only after
// the commit. This is snapshot isolation.
//
// Used by one thread. Items look the same before and after the commit: numbers, etags and
// timestamps are fixed when a write is tried.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "partition/item_writer.h"
#include "partition/partition.h"
#include "storage/engine.h"

namespace orrery::partition {

class Transaction {
    struct Begun {};  // restricts construction to begin()

public:
    // Runs once on the snapshot and once in the partition; must do the same both times.
    using Write = std::function<Status(ItemWriter&)>;

    static Result<std::unique_ptr<Transaction>> begin(std::shared_ptr<Partition> partition,
                                                      Random& random);

    Transaction(Begun /*begun*/,
                std::shared_ptr<Partition> partition,
                std::shared_ptr<const IndexView> index_view,
                Partition::View view,
                const State& state,
                std::uint64_t first_stamp);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() = default;

    // The snapshot.
    const Partition::View& view() const { return view_; }
    // The partition's index view, taken before the snapshot.
    const std::shared_ptr<const IndexView>& index_view() const { return index_view_; }
    const State& state() const { return state_; }

    // Whether no further write is accepted.
    bool is_full() const;

    // A failed write changes nothing. Waits for the partition when numbers for new items must be
    // reserved.
    Status write(Write write);
    // Reads items including the writes so far; changes nothing.
    Status read(const Write& read);

    // The written items in their current state; nullopt if removed.
    using Written = std::map<Docnum, std::optional<StoredItem>>;
    const Written& written() const { return written_; }

    // Applies all writes and returns their LSN, or the snapshot's if there are none. kConflict if
    // an item has changed since the snapshot: the transaction must then be repeated from the
    // beginning. Waits for the disk.
    Result<Lsn> commit();

private:
    struct Version {
        Lsn lsn = 0;
        std::uint16_t ordinal = 0;
        bool operator==(const Version&) const = default;
    };
    struct Step {
        Write write;
        ItemWriter::AssignedIdentity assigned;
    };
    class CommitTask;

    Result<Docnum> next_number();
    Result<std::optional<Version>> version_before(Docnum docnum) const;

    const std::shared_ptr<Partition> partition_;
    const std::shared_ptr<const IndexView> index_view_;
    const Partition::View view_;
    const State state_;
    const std::unique_ptr<ItemIndex> no_index_;
    ItemWriter writer_;
    std::uint64_t next_stamp_;
    Docnum next_number_ = 0;
    std::uint64_t numbers_left_ = 0;
    std::uint64_t numbers_wanted_ = 1;
    std::vector<Step> steps_;
    Written written_;
    // The versions of the written items in the snapshot.
    std::map<Docnum, std::optional<Version>> before_;
};

}  // namespace orrery::partition
