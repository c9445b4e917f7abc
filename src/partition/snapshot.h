// The items of a partition at one moment, limited to the scope of a request: what a query reads.
// Any thread may make walks and loaders; each of these is used by one thread.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "index/cursors.h"
#include "partition/feed.h"
#include "partition/item_record.h"
#include "partition/partition.h"
#include "storage/engine.h"

namespace orrery::partition {

class Snapshot {
public:
    // Uses the partition's newest state unless `view` is given. Where that may not block:
    // kWouldBlock if reading might skip or collect any number of items at once.
    static Result<Snapshot> take(const Partition& partition,
                                 const FeedScope& scope,
                                 std::optional<std::int32_t> default_ttl,
                                 std::optional<Partition::View> view = std::nullopt);

    const std::shared_ptr<const storage::Reader>& reader() const { return reader_; }
    const State& state() const { return state_; }
    // Whether every item of the partition is in scope and none is or will be hidden.
    bool is_whole() const;
    const FeedScope& scope() const { return scope_; }
    // The number of visible items, when it can be counted without reading them. Where it may not
    // block: kWouldBlock unless the number is known.
    Result<std::optional<std::uint64_t>> count() const;

    // The ranges that assigned the numbers of the partition's items, ascending.
    Result<std::vector<std::uint32_t>> number_ranges() const;

    // Loads single items. Must not outlive the snapshot.
    class Loader {
    public:
        explicit Loader(const Snapshot& snapshot) : snapshot_(snapshot) {}

        // The item if it exists and is visible. Valid until the next call.
        Result<std::optional<ItemView>> load(Docnum docnum);

    private:
        const Snapshot& snapshot_;
        std::optional<Docnum> last_;
        std::unique_ptr<storage::Cursor> near_;  // at the previous item, if near
        bool upward_ = true;                     // its direction
        std::string record_;
    };

    // If the scope is one partition key: the numbers of its items (and of others with the same
    // hash). Otherwise null.
    std::unique_ptr<index::DocnumCursor> members() const;

    // The visible items by number. Must not outlive the snapshot.
    class Walk {
    public:
        // Moves to the next item; nullopt at the end. Valid until the next call.
        Result<std::optional<ItemView>> next();

        // Restricts construction to items().
        class Made {
            friend class Snapshot;
            Made() = default;
        };
        Walk(Made /*made*/, const Snapshot& snapshot) : snapshot_(snapshot), loader_(snapshot) {}

    private:
        friend class Snapshot;

        const Snapshot& snapshot_;
        Loader loader_;
        std::unique_ptr<storage::Cursor> cursor_;
        bool members_ = false;         // the cursor is over members, not items
        std::vector<Docnum> numbers_;  // used if there is no cursor
        std::size_t at_ = 0;
    };
    Result<std::unique_ptr<Walk>> items(Docnum from) const;

private:
    Snapshot() = default;

    bool hides_nothing() const { return !hidden_.expiry.default_ttl && !hidden_.deletes; }
    bool is_visible(const ItemView& item) const;

    std::shared_ptr<const storage::Reader> reader_;
    State state_;
    FeedScope scope_;
    Hidden hidden_;
    bool may_block_ = true;
};

}  // namespace orrery::partition
