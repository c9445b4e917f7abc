// The index as writes see it: keeps index entries in step with items, in every generation, and
// moves from one policy to the next. It stages changes alongside the ItemWriter and shares its
// savepoints, so that an item and its entries commit together. Runs on the partition's executor;
// only view() and is_changing() may be called from other threads.

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

// Makes the evaluator of a policy's computed properties.
using ComputedFactory =
    std::function<std::shared_ptr<const index::ComputedProperties>(const index::PathPolicy&)>;

// How much one step of building or removing does: small, so that client writes are not delayed.
struct IndexStep {
    std::size_t items = 64;
    std::size_t bytes = std::size_t{256} << 10;
    std::size_t keys_removed = 2000;
};

// What readers need, as of the newest commit.
struct IndexView {
    std::string record;               // value of index_state_key(); empty before the first write
    GenerationNumber generation = 0;  // the active one
    std::shared_ptr<const index::PathPolicy> active;  // usable by queries
    std::shared_ptr<const index::PathPolicy> wanted;  // being built, or same as active
    std::shared_ptr<IndexFacts> facts;                // about the active one
    std::uint64_t items_built = 0;
    std::uint64_t items_to_build = 0;
    bool work_left = false;  // advance() has work to do

    bool is_built() const { return active == wanted; }
};

// Terms and composites that the write of an item has removed and added. The same write always
// counts the same, whenever it happens.
struct IndexChange {
    std::size_t removed = 0;
    std::size_t added = 0;
};

class ItemIndex {
    struct Opened {};  // restricts construction to open()

public:
    ItemIndex(Opened /*opened*/, ComputedFactory computed) : computed_(std::move(computed)) {}

    // An index that was never written to starts with the wanted policy. Any other keeps its own
    // until adopt().
    static Result<std::unique_ptr<ItemIndex>> open(const storage::Reader& store,
                                                   std::shared_ptr<const index::PathPolicy> wanted,
                                                   ComputedFactory computed);

    // An index without entries, for items that will not be stored.
    static std::unique_ptr<ItemIndex> none();

    // Return what changed, not counting an index that is being built.
    Result<IndexChange> add(const StoredItem& item) { return change(nullptr, &item); }
    Result<IndexChange> remove(const StoredItem& item) { return change(&item, nullptr); }
    // Writes only the difference between two versions of an item.
    Result<IndexChange> replace(const StoredItem& old, const StoredItem& now) {
        return change(&old, &now);
    }

    // The partition's contents when a task changes the whole index.
    struct Extent {
        Docnum next = 0;  // number of the next new item
        std::uint64_t items = 0;
        bool never_written = false;
    };
    // Starts building for another policy and retires a build in progress. Does nothing if the
    // policy is already the newest.
    Status adopt(std::shared_ptr<const index::PathPolicy> policy, const Extent& extent);

    // One small step of building, or of removing unused generations. `load` returns the newest
    // version of an item, including changes of this batch.
    using Load = std::function<Result<std::optional<StoredItem>>(Docnum)>;
    Status advance(const storage::Reader& store, const Load& load, const IndexStep& step);

    struct Savepoint;
    Savepoint savepoint() const;
    void rollback_to(const Savepoint& savepoint);

    // Adds the staged changes to the batch, which is then committed or abandoned.
    void finish(storage::WriteBatch& batch);
    void committed();
    void abandon();

    // Thread-safe.
    std::shared_ptr<const IndexView> view() const;
    // Whether a commit that changes the view is in progress. To get a consistent pair: take the
    // view, then a snapshot; if nothing is changing and the view is still the same, the two are
    // consistent.
    bool is_changing() const { return changing_.load(std::memory_order_acquire); }

private:
    // The current generations; replaced as a whole on change.
    struct Generations {
        std::shared_ptr<IndexGeneration> active;
        std::shared_ptr<IndexGeneration> building;  // may be null
        Docnum until = 0;                           // of the one being built
        std::uint64_t items = 0;
        IndexPosition position;
        std::vector<GenerationNumber> removing;
        std::string record;  // on disk, without the position

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

    Result<IndexChange> change(const StoredItem* old, const StoredItem* now);
    Result<IndexChange> change_in(IndexGeneration& generation,
                                  const StoredItem* old,
                                  const StoredItem* now);
    Status build(const storage::Reader& store, const Load& load, const IndexStep& step);
    Status clear(const storage::Reader& store, const IndexStep& step);
    void activate_built_generation();
    void publish();

    const ComputedFactory computed_;
    GenerationsPtr current_;
    GenerationsPtr committed_;
    StagedKeys staged_;
    index::KeyList old_keys_;
    index::KeyList new_keys_;
    std::string record_;       // on disk
    std::string next_record_;  // in the current batch

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
