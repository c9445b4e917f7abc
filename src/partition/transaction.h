// Writes that are tried out on a snapshot and made later, all together, if nobody has changed the
// same items meanwhile: what a script does. Whoever writes sees his own writes, nobody else does
// before they are committed. That is snapshot isolation.
//
// Used by one thread. Items look the same before and after the commit: numbers, etags and times are
// settled when a write is tried.

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
    struct Begun {};  // only begin() makes one

public:
    // Tried once on the snapshot and made once by the partition; both must do the same.
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
    // What the partition said of its index before the snapshot was taken.
    const std::shared_ptr<const IndexView>& index_view() const { return index_view_; }
    const State& state() const { return state_; }

    // No further write is taken.
    bool is_full() const;

    // A write that fails leaves no trace. It waits for the partition when numbers for new items
    // have to be reserved.
    Status write(Write write);
    // Looks at items as the writes so far leave them; changes nothing.
    Status read(const Write& read);

    // The items that have been written: as they are now, or nothing when they are gone.
    using Written = std::map<Docnum, std::optional<StoredItem>>;
    const Written& written() const { return written_; }

    // Makes all writes. kConflict when an item has been changed by somebody else since the
    // snapshot: the transaction must then be done again from the beginning. Otherwise the LSN it
    // got; the snapshot's when nothing was written. Waits for the disk.
    Result<Lsn> commit();

private:
    struct Version {
        Lsn lsn = 0;
        std::uint16_t ordinal = 0;
        bool operator==(const Version&) const = default;
    };
    struct Step {
        Write write;
        ItemWriter::Foretold foretold;
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
    // What the written items were in the snapshot.
    std::map<Docnum, std::optional<Version>> before_;
};

}  // namespace orrery::partition
