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
    // Uses the partition's newest state unless `view` is given.
    static Result<Snapshot> take(const Partition& partition,
                                 const FeedScope& scope,
                                 std::optional<std::int32_t> default_ttl,
                                 std::optional<Partition::View> view = std::nullopt);

    const std::shared_ptr<const storage::Reader>& reader() const { return reader_; }
    const State& state() const { return state_; }
    // Whether every item of the partition is in scope and none is or will be hidden.
    bool is_whole() const;
    const FeedScope& scope() const { return scope_; }
    // The number of visible items, when it is known without reading anything.
    std::optional<std::uint64_t> count() const;
    // Whether members() are the visible items, no more and no fewer.
    bool members_are_items() const {
        return scope_.partition_key && scope_.epk_is_unique && hides_nothing();
    }

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

    // Where a walk is: at a visible item, or at the number of one that is hidden.
    struct Found {
        Docnum docnum = 0;
        std::optional<ItemView> item;
    };

    // The items by number. Each step takes little time, whatever has to be skipped or sorted.
    class Walk {
    public:
        Walk() = default;
        Walk(const Walk&) = delete;
        Walk& operator=(const Walk&) = delete;
        virtual ~Walk() = default;

        // Nullopt at the end. Valid until the next call. Numbers never fall; an item comes after
        // any hidden place with the same number.
        virtual Result<std::optional<Found>> next() = 0;
    };
    // Must not outlive the snapshot. Where items have to be sorted, at most so many at once.
    static constexpr std::size_t kSortedMax = 65'536;
    std::unique_ptr<Walk> items(Docnum from, std::size_t sorted_max = kSortedMax) const;

private:
    class AllItems;
    class ItemsOfKey;
    class ItemsOfRange;

    Snapshot() = default;

    bool hides_nothing() const { return !hidden_.expiry.default_ttl && !hidden_.deletes; }
    // The item if it is visible.
    std::optional<ItemView> visible(const ItemView& item) const;

    std::shared_ptr<const storage::Reader> reader_;
    State state_;
    FeedScope scope_;
    Hidden hidden_;
};

}  // namespace orrery::partition
