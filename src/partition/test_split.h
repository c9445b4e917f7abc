// Moves the items of a partition to others, as a split does: keys and values are copied byte for
// byte. Tests only.

#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "model/test_support.h"
#include "partition/change_log.h"
#include "partition/item_record.h"
#include "partition/item_writer.h"
#include "partition/key_deletes.h"
#include "storage/engine.h"

namespace orrery::partition::testing_support {

// The number at the end of an index key. Works while ranges and counters are below 128, so that
// each takes one byte.
inline Docnum docnum_of_index_key(std::string_view key) {
    const auto range = static_cast<unsigned char>(key[key.size() - 2]);
    const auto counter = static_cast<unsigned char>(key.back());
    CHECK(range < 128 && counter < 128);
    return Docnum{range} << model::kItemCounterBits | counter;
}

// Whether an entry belongs to one of the items, or to one of their partition keys.
inline bool is_entry_of(const std::set<Docnum>& items,
                        const model::EpkRange& epks,
                        std::string_view key,
                        std::string_view value) {
    using model::testing_support::must;
    switch (key.front()) {
        case 'D':
        case 'P':
        case 'L':
        case 'T':
            return items.contains(must(docnum_of_key(key)));
        case 'K':
        case 'U':
            return items.contains(must(docnum_of_value(value)));
        case 'I':
        case 'C':
        case 'S':
            return items.contains(docnum_of_index_key(key));
        case 'V':
            return epks.contains(must(Removal::decode(value)).epk);
        case 'G':
            return epks.contains(must(KeyDelete::decode(value)).epk);
        default:
            return key != state_key();
    }
}

// `parent_id` is the parent's partition number.
inline void copy_part(const storage::PartitionStore& parent,
                      storage::PartitionId parent_id,
                      const model::EpkRange& epks,
                      storage::PartitionStore& child) {
    using model::testing_support::must;
    std::string bytes;
    CHECK(must(parent.get(state_key(), bytes)));
    State state = must(State::decode(bytes));
    state.item_count = state.item_bytes = 0;
    state.etag_origin = state.etag_origin.value_or(parent_id);
    std::set<Docnum> items;
    const auto records = parent.scan(all_of('D'), storage::Direction::kForward);
    for (; records->valid(); records->next()) {
        const Docnum docnum = must(docnum_of_key(records->key()));
        const ItemView item = must(ItemView::decode(docnum, records->value()));
        if (!epks.contains(item.epk)) continue;
        items.insert(docnum);
        ++state.item_count;
        state.item_bytes += item.json.size();
    }
    storage::WriteBatch batch;
    const auto entries =
        parent.scan({.from = {}, .until = std::nullopt}, storage::Direction::kForward);
    for (; entries->valid(); entries->next()) {
        const bool taken = is_entry_of(items, epks, entries->key(), entries->value());
        if (taken) batch.put(entries->key(), entries->value());
    }
    batch.put(state_key(), state.encode());
    CHECK(static_cast<bool>(child.commit(batch)));
}

// Changes the items to what a server with format 2 would have written.
inline void downgrade(storage::PartitionStore& store) {
    using model::testing_support::must;
    storage::WriteBatch batch;
    const auto records = store.scan(all_of('D'), storage::Direction::kForward);
    for (; records->valid(); records->next()) {
        const StoredItem item = must(
            StoredItem::decode(must(docnum_of_key(records->key())), std::string(records->value())));
        std::vector<std::string> digests;
        for (std::size_t i = 0; i < item.unique_count(); ++i) {
            digests.emplace_back(item.unique_digest(i));
        }
        ItemHeader header = item.header();
        header.origin.reset();
        std::string record;
        append_item_head(record,
                         header,
                         {.epk = item.epk(),
                          .partition_key = item.partition_key(),
                          .id = item.id(),
                          .unique_digests = digests});
        batch.put(records->key(), record.append(item.json()));
        batch.remove(log_key_of(item.header(), item.docnum()));
        batch.put(log_key_of(header, item.docnum()), {});
    }
    const auto removals = store.scan(all_of('V'), storage::Direction::kForward);
    for (; removals->valid(); removals->next()) {
        batch.remove(removals->key());
    }
    std::string bytes;
    CHECK(must(store.get(state_key(), bytes)));
    State state = must(State::decode(bytes));
    state.etag_origin.reset();
    batch.put(state_key(), state.encode());
    CHECK(static_cast<bool>(store.commit(batch)));
}

}  // namespace orrery::partition::testing_support
