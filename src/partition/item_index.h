// The index as writes see it: keeps the entries of items in step with the items, generation by
// generation, and moves from one policy to the next. It stages its changes next to the ItemWriter's
// and goes back to savepoints with it, so that an item and its entries are one commit. Runs on the
// partition's executor; only view() may be called from elsewhere.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/computed_properties.h"
#include "index/key_list.h"
#include "partition/index_generation.h"
#include "partition/index_state.h"
#include "partition/item_record.h"
#include "partition/staged_keys.h"
#include "storage/engine.h"

namespace orrery::partition {

// Makes what evaluates the computed properties of a policy.
using ComputedFactory =
    std::function<std::shared_ptr<const index::ComputedProperties>(const index::PathPolicy&)>;

// How much one step of building or removing does: short enough to slip in between the writes of
// clients.
struct IndexStep {
    std::size_t items = 64;
    std::size_t bytes = std::size_t{256} << 10;
    std::size_t keys_removed = 2000;
};

// What readers need to know, as of the newest commit.
struct IndexView {
    std::string record;  // what stands under index_state_key(); empty before the first write
    GenerationNumber generation = 0;                  // of the active one
    std::shared_ptr<const index::PathPolicy> active;  // what queries can use
    std::shared_ptr<const index::PathPolicy> wanted;  // what is being built, or the same
    std::shared_ptr<IndexFacts> facts;                // about the active one
    std::uint64_t items_built = 0;
    std::uint64_t items_to_build = 0;
    bool work_left = false;  // advance() has something to do

    bool is_built() const { return active == wanted; }
};

class ItemIndex {
    struct Opened {};  // only open() makes one

public:
    ItemIndex(Opened /*opened*/, ComputedFactory computed) : computed_(std::move(computed)) {}

    // An index that has never been written to starts with the wanted policy. Another one keeps its
    // own until adopt().
    static Result<std::unique_ptr<ItemIndex>> open(const storage::Reader& store,
                                                   std::shared_ptr<const index::PathPolicy> wanted,
                                                   ComputedFactory computed);

    // One without entries, for items that are not going to be stored.
    static std::unique_ptr<ItemIndex> none();

    Status add(const StoredItem& item) { return change(nullptr, &item); }
    Status remove(const StoredItem& item) { return change(&item, nullptr); }
    // Both versions of one item: only the difference is written.
    Status replace(const StoredItem& old, const StoredItem& now) { return change(&old, &now); }

    // What the partition has while a task changes the index as a whole.
    struct Extent {
        Docnum next = 0;  // the number the next new item gets
        std::uint64_t items = 0;
        bool never_written = false;
    };
    // Starts building for another policy; what was being built for one before is given up. Nothing
    // happens when the policy is the newest already.
    Status adopt(std::shared_ptr<const index::PathPolicy> policy, const Extent& extent);

    // One small step of building, or of removing what is not used any more. `load` gives the newest
    // version of an item, this batch included.
    using Load = std::function<Result<std::optional<StoredItem>>(Docnum)>;
    Status advance(const storage::Reader& store, const Load& load, const IndexStep& step);

    struct Savepoint;
    Savepoint savepoint() const;
    void rollback_to(const Savepoint& savepoint);

    // Adds what was staged to the batch. Then the batch is committed or abandoned.
    void finish(storage::WriteBatch& batch);
    void committed();
    void abandon();

    // From any thread.
    std::shared_ptr<const IndexView> view() const;
    // A commit is under way after which the view will be another. Who takes a view, then a
    // snapshot, and finds no change under way and then the same view, has what belongs together.
    bool is_changing() const { return changing_.load(std::memory_order_acquire); }

private:
    // The generations there are; replaced as a whole when that changes.
    struct Generations {
        std::shared_ptr<IndexGeneration> active;
        std::shared_ptr<IndexGeneration> building;  // or null
        Docnum until = 0;                           // of the one that is being built
        std::uint64_t items = 0;
        IndexPosition position;
        std::vector<GenerationNumber> removing;
        std::string record;  // all but the position, as it stands on disk

        bool is_building(Docnum docnum) const {
            return building && (docnum < position.next || docnum >= until);
        }
        void encode_record();
    };
    using GenerationsPtr = std::shared_ptr<const Generations>;

    std::shared_ptr<IndexGeneration> make_generation(
        GenerationNumber number, std::shared_ptr<const index::PathPolicy> policy) const;
    Result<std::shared_ptr<IndexGeneration>> load_generation(
        const storage::Reader& store, const GenerationRecord& generation) const;
    Status load(const storage::Reader& store, const IndexStateRecord& record);

    Status change(const StoredItem* old, const StoredItem* now);
    Status change_in(IndexGeneration& generation, const StoredItem* old, const StoredItem* now);
    Status build(const storage::Reader& store, const Load& load, const IndexStep& step);
    Status clear(const storage::Reader& store, const IndexStep& step);
    void use_what_was_built();
    void publish();

    const ComputedFactory computed_;
    GenerationsPtr current_;
    GenerationsPtr committed_;
    StagedKeys staged_;
    index::KeyList old_keys_;
    index::KeyList new_keys_;
    std::string record_;       // on disk
    std::string next_record_;  // on its way there

    std::atomic<bool> changing_ = false;
    mutable std::mutex view_mutex_;
    std::shared_ptr<const IndexView> view_;
};

struct ItemIndex::Savepoint {
    GenerationsPtr generations;
    IndexGeneration::Savepoint active;
    std::optional<IndexGeneration::Savepoint> building;
    StagedKeys::Savepoint staged;
};

}  // namespace orrery::partition
