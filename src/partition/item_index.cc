#include "partition/item_index.h"

#include <algorithm>

#include "base/check.h"

namespace orrery::partition {

namespace {

constexpr unsigned kGenerationMax = 255;

}  // namespace

void ItemIndex::Generations::encode_record() {
    IndexStateRecord out;
    out.active = {.number = active->number(), .policy = active->policy()->text()};
    if (building) {
        out.building = BuildingRecord{
            .generation = {.number = building->number(), .policy = building->policy()->text()},
            .until = until,
            .items = items};
    }
    out.removing = removing;
    record = out.encode();
}

Result<std::unique_ptr<ItemIndex>> ItemIndex::open(const storage::Reader& store,
                                                   std::shared_ptr<const index::PathPolicy> wanted,
                                                   ComputedFactory computed) {
    auto index = std::make_unique<ItemIndex>(Opened(), std::move(computed));
    if (const auto record = TRY(read_index_state(store))) {
        TRY(index->load(store, *record));
    } else {
        auto fresh = std::make_shared<Generations>();
        fresh->active = index->make_generation(1, std::move(wanted));
        fresh->encode_record();
        index->current_ = std::move(fresh);
    }
    index->committed_ = index->current_;
    index->publish();
    return index;
}

std::unique_ptr<ItemIndex> ItemIndex::none() {
    static const auto kPolicy = index::PathPolicy::from_text(
        R"({"enabled":false,"automatic":false,"included":[],"excluded":[],"always":[],)"
        R"("composites":[],"computed":[]})");
    CHECK(static_cast<bool>(kPolicy));
    auto index = std::make_unique<ItemIndex>(Opened(), nullptr);
    auto fresh = std::make_shared<Generations>();
    fresh->active = index->make_generation(1, *kPolicy);
    index->current_ = fresh;
    index->committed_ = std::move(fresh);
    return index;
}

Status ItemIndex::load(const storage::Reader& store, const IndexStateRecord& record) {
    auto loaded = std::make_shared<Generations>();
    loaded->active = TRY(load_generation(store, record.active));
    if (record.building) {
        loaded->building = TRY(load_generation(store, record.building->generation));
        loaded->until = record.building->until;
        loaded->items = record.building->items;
        loaded->position = TRY(read_index_position(store));
    }
    loaded->removing = record.removing;
    loaded->encode_record();
    record_ = loaded->record;
    current_ = std::move(loaded);
    return {};
}

std::shared_ptr<IndexGeneration> ItemIndex::make_generation(
    GenerationNumber number, std::shared_ptr<const index::PathPolicy> policy) const {
    std::shared_ptr<const index::ComputedProperties> computed;
    if (computed_ && !policy->computed().empty()) computed = computed_(*policy);
    return std::make_shared<IndexGeneration>(number, std::move(policy), std::move(computed));
}

Result<std::shared_ptr<IndexGeneration>> ItemIndex::load_generation(
    const storage::Reader& store, const GenerationRecord& generation) const {
    auto loaded =
        make_generation(generation.number, TRY(index::PathPolicy::from_text(generation.policy)));
    TRY(loaded->load(store));
    return loaded;
}

Result<IndexChange> ItemIndex::change(const StoredItem* old, const StoredItem* now) {
    const Docnum docnum = (old != nullptr ? old : now)->docnum();
    const IndexChange done = TRY(change_in(*current_->active, old, now));
    if (current_->is_building(docnum)) TRY(change_in(*current_->building, old, now));
    return done;
}

Result<IndexChange> ItemIndex::change_in(IndexGeneration& generation,
                                         const StoredItem* old,
                                         const StoredItem* now) {
    IndexChange done;
    old_keys_.clear();
    new_keys_.clear();
    if (old != nullptr) TRY(generation.keys_of(*old, old_keys_));
    if (now != nullptr) TRY(generation.keys_of(*now, new_keys_));
    // Both are sorted: write only the keys that are in one of them.
    std::size_t o = 0;
    std::size_t n = 0;
    while (o < old_keys_.size() || n < new_keys_.size()) {
        const bool no_old = o == old_keys_.size();
        const bool no_new = n == new_keys_.size();
        const int order = no_old ? 1 : no_new ? -1 : old_keys_[o].compare(new_keys_[n]);
        if (order < 0) {
            staged_.remove(old_keys_[o]);
            if (generation.is_term(old_keys_[o])) ++done.removed;
        } else if (order > 0) {
            staged_.put(new_keys_[n]);
            if (generation.is_term(new_keys_[n])) ++done.added;
        }
        if (order <= 0) ++o;
        if (order >= 0) ++n;
    }
    // The timestamp counts as changed even if both versions were written within a second.
    const bool both_indexed = old_keys_.size() > 1 && new_keys_.size() > 1;
    if (both_indexed && old->header().timestamp == now->header().timestamp) {
        ++done.removed;
        ++done.added;
    }
    return done;
}

Status ItemIndex::adopt(std::shared_ptr<const index::PathPolicy> policy, const Extent& extent) {
    const auto& newest = current_->building ? current_->building : current_->active;
    if (policy->text() == newest->policy()->text()) return {};
    auto next = std::make_shared<Generations>();
    next->active = current_->active;
    next->removing = current_->removing;
    if (extent.never_written) {
        next->active = make_generation(1, std::move(policy));
        next->encode_record();
        current_ = std::move(next);
        return {};
    }
    if (current_->building) next->removing.push_back(current_->building->number());
    if (policy->text() != next->active->policy()->text()) {
        unsigned number = 1;
        const auto is_used = [&](unsigned n) {
            return n == next->active->number() ||
                   std::find(next->removing.begin(), next->removing.end(), n) !=
                       next->removing.end();
        };
        while (is_used(number)) {
            ++number;
        }
        if (number > kGenerationMax) {
            return Error(ErrorCode::kUnavailable,
                         "Indexes of earlier policies are still being removed; retry later.");
        }
        next->building = make_generation(static_cast<GenerationNumber>(number), std::move(policy));
        next->until = extent.next;
        next->items = extent.items;
    }
    next->encode_record();
    current_ = std::move(next);
    const IndexGeneration* building = current_->building.get();
    const bool trivial = extent.items == 0 || (building && !building->policy()->enabled());
    if (building != nullptr && trivial) activate_built_generation();
    return {};
}

void ItemIndex::activate_built_generation() {
    auto next = std::make_shared<Generations>();
    next->active = current_->building;
    next->removing = current_->removing;
    next->removing.push_back(current_->active->number());
    next->encode_record();
    current_ = std::move(next);
}

Status ItemIndex::advance(const storage::Reader& store, const Load& load, const IndexStep& step) {
    if (current_->building) return build(store, load, step);
    return clear(store, step);
}

Status ItemIndex::build(const storage::Reader& store, const Load& load, const IndexStep& step) {
    auto next = std::make_shared<Generations>(*current_);
    const auto cursor =
        store.scan({.from = item_key(next->position.next), .until = item_key(next->until)},
                   storage::Direction::kForward);
    std::size_t items = 0;
    std::size_t bytes = 0;
    for (; cursor->valid() && items < step.items && bytes < step.bytes; cursor->next()) {
        const Docnum docnum = TRY(docnum_of_key(cursor->key()));
        // Load instead of using the cursor's value: this batch may have changed or removed the
        // item.
        const std::optional<StoredItem> item = TRY(load(docnum));
        if (item) TRY(change_in(*next->building, nullptr, &*item));
        ++items;
        bytes += cursor->value().size();
        next->position = {.next = docnum + 1, .items = next->position.items + 1};
    }
    TRY(cursor->status());
    const bool done = !cursor->valid();
    current_ = std::move(next);
    if (done) activate_built_generation();
    return {};
}

Status ItemIndex::clear(const storage::Reader& store, const IndexStep& step) {
    // Only generations retired before this batch: the batch may hold keys of one retired since,
    // which the store does not show yet.
    if (committed_->removing.empty() || current_->removing.empty()) return {};
    const GenerationNumber number = committed_->removing.front();
    std::size_t removed = 0;
    for (const char letter : kIndexLetters) {
        const auto cursor =
            store.scan(keys_with(index_prefix(letter, number)), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next(), ++removed) {
            if (removed == step.keys_removed) return {};
            staged_.remove(cursor->key());
        }
        TRY(cursor->status());
    }
    if (removed > 0) return {};
    auto next = std::make_shared<Generations>(*current_);
    std::erase(next->removing, number);
    next->encode_record();
    current_ = std::move(next);
    return {};
}

ItemIndex::Savepoint ItemIndex::savepoint() const {
    Savepoint savepoint{.generations = current_,
                        .active = current_->active->savepoint(),
                        .building = std::nullopt,
                        .staged = staged_.savepoint()};
    if (current_->building) savepoint.building = current_->building->savepoint();
    return savepoint;
}

void ItemIndex::rollback_to(const Savepoint& savepoint) {
    current_ = savepoint.generations;
    current_->active->rollback_to(savepoint.active);
    if (savepoint.building) current_->building->rollback_to(*savepoint.building);
    staged_.rollback_to(savepoint.staged);
}

void ItemIndex::finish(storage::WriteBatch& batch) {
    next_record_ = record_;
    const bool untouched = batch.empty() && staged_.empty();
    // The policy of an empty partition is not stored: the catalog has it.
    if (untouched && (current_ == committed_ || record_.empty())) return;
    next_record_ = current_->record;
    if (next_record_ != record_) {
        changing_.store(true, std::memory_order_release);
        batch.put(index_state_key(), next_record_);
    }
    if (current_->building && current_ != committed_) {
        batch.put(index_position_key(), current_->position.encode());
    } else if (committed_->building && !current_->building) {
        batch.remove(index_position_key());
    }
    current_->active->save(batch);
    if (current_->building) current_->building->save(batch);
    staged_.move_to(batch);
}

void ItemIndex::committed() {
    record_ = std::move(next_record_);
    current_->active->committed();
    if (current_->building) current_->building->committed();
    staged_.clear();
    if (committed_ == current_ && view_->record == record_) return;
    committed_ = current_;
    publish();
    changing_.store(false, std::memory_order_release);
}

void ItemIndex::abandon() {
    current_ = committed_;
    current_->active->abandon();
    if (current_->building) current_->building->abandon();
    staged_.clear();
    changing_.store(false, std::memory_order_release);
}

void ItemIndex::publish() {
    auto view = std::make_shared<IndexView>();
    view->record = record_;
    view->generation = current_->active->number();
    view->active = current_->active->policy();
    view->wanted = current_->building ? current_->building->policy() : view->active;
    view->facts = current_->active->facts();
    view->items_built = current_->position.items;
    view->items_to_build = current_->building ? current_->items : 0;
    view->work_left = current_->building || !current_->removing.empty();
    const std::lock_guard lock(view_mutex_);
    view_ = std::move(view);
}

std::shared_ptr<const IndexView> ItemIndex::view() const {
    const std::lock_guard lock(view_mutex_);
    return view_;
}

}  // namespace orrery::partition
