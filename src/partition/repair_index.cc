#include "partition/repair_index.h"

#include <string>
#include <utility>

#include "index/key_list.h"
#include "partition/gradual_writes.h"
#include "partition/index_generation.h"
#include "partition/index_state.h"
#include "partition/verify_index.h"

namespace orrery::partition {

namespace {

// Removes the keys of all generations but one.
Status remove_others(storage::PartitionStore& store, GenerationNumber kept) {
    GradualWrites writes(store);
    for (const char letter : kIndexLetters) {
        const std::string prefix = index_prefix(letter, kept);
        const auto cursor = store.scan(all_of(letter), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            if (!cursor->key().starts_with(prefix)) TRY(writes.remove(cursor->key()));
        }
        TRY(cursor->status());
    }
    return writes.commit();
}

Status add_items(storage::PartitionStore& store, IndexGeneration& generation) {
    GradualWrites writes(store);
    index::KeyList keys;
    const auto commit = [&]() -> Status {
        generation.save(writes.batch());
        TRY(writes.commit());
        generation.committed();
        return {};
    };
    const auto cursor = store.scan(all_of('D'), storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        const auto docnum = docnum_of_key(cursor->key());
        if (!docnum) continue;
        const auto item = StoredItem::decode(*docnum, std::string(cursor->value()));
        // A damaged item cannot be indexed; verify() names it.
        if (!item || !generation.keys_of(*item, keys)) continue;
        for (std::size_t i = 0; i < keys.size(); ++i)
            writes.batch().put(keys[i], "");
        if (writes.full()) TRY(commit());
    }
    TRY(cursor->status());
    return commit();
}

}  // namespace

Result<bool> index_is_sound(const storage::PartitionStore& store, const ComputedFactory& computed) {
    const auto state = store.snapshot();
    bool sound = true;
    auto index = IndexVerifier::open(*state, computed, [&](const std::string&) { sound = false; });
    if (!index) return false;
    const auto cursor = state->scan(all_of('D'), storage::Direction::kForward);
    for (; cursor->valid() && sound; cursor->next()) {
        const auto docnum = docnum_of_key(cursor->key());
        if (!docnum) continue;
        const auto item = StoredItem::decode(*docnum, std::string(cursor->value()));
        if (item) TRY(index->check(*item));
    }
    TRY(cursor->status());
    if (sound) TRY(index->finish());
    return sound;
}

Status rebuild_index(storage::PartitionStore& store,
                     const std::shared_ptr<const index::PathPolicy>& policy,
                     const ComputedFactory& computed) {
    const auto found = read_index_state(store);
    std::shared_ptr<const index::PathPolicy> wanted = policy;
    GenerationNumber old = 0;
    if (found && *found) {
        const IndexStateRecord& record = **found;
        old = record.active.number;
        const auto& newest = record.building ? record.building->generation : record.active;
        auto own = index::PathPolicy::from_text(newest.policy);
        if (own) wanted = *own;
    }
    // Until the last step the partition keeps the index it has, so that a repair that is
    // interrupted does not make it worse.
    TRY(remove_others(store, old));
    std::shared_ptr<const index::ComputedProperties> properties;
    if (computed && !wanted->computed().empty()) properties = computed(*wanted);
    const GenerationNumber number = old == 1 ? 2 : 1;
    IndexGeneration generation(number, wanted, properties);
    TRY(add_items(store, generation));
    IndexStateRecord state;
    state.active = {.number = number, .policy = wanted->text()};
    if (old != 0) state.removing.push_back(old);
    storage::WriteBatch switched;
    switched.put(index_state_key(), state.encode());
    switched.remove(index_position_key());
    TRY(store.commit(switched));
    if (old == 0) return {};
    TRY(remove_others(store, number));
    state.removing.clear();
    storage::WriteBatch removed;
    removed.put(index_state_key(), state.encode());
    return store.commit(removed);
}

}  // namespace orrery::partition
