// How a partition takes over items of another one. They keep their number, etag, timestamps and
// place in the log.

#include <algorithm>

#include "partition/item_writer.h"

namespace orrery::partition {

Status ItemWriter::import(const StoredItem& item, const LogEntry& entry) {
    const std::optional<StoredItem> old = TRY(load(item.docnum()));
    if (old) {
        TRY(release_entries(*old));
    } else {
        batch_.put(member_key(item.epk(), item.docnum()), {});
    }
    const ItemHeader& header = item.header();
    const std::string docnum = docnum_value(item.docnum());
    batch_.put(item_key(item.docnum()), item.record());
    batch_.put(id_key(item.epk(), item.id()), docnum);
    batch_.put(log_key_of(header, item.docnum()), entry.encode());
    if (header.ttl > 0) batch_.put(expiry_key(header.timestamp + header.ttl, item.docnum()), {});
    for (std::size_t i = 0; i < item.unique_count(); ++i) {
        batch_.put(unique_key(item.epk(), static_cast<std::uint8_t>(i), item.unique_digest(i)),
                   docnum);
    }
    ++state_.item_count;
    state_.item_bytes += item.json().size();
    reach(header.lsn, header.timestamp);
    TRY(resize(item.epk(),
               item.docnum(),
               {.before = old ? old->json().size() : 0, .after = item.json().size()}));
    TRY(old ? index_.replace(*old, item) : index_.add(item));
    return {};
}

Status ItemWriter::import(const LogPlace& place, const Removal& removal) {
    if (removal.kind != ChangeKind::kKeyDelete) {
        if (const auto old = TRY(load(place.docnum))) TRY(expunge(*old));
    }
    batch_.put(removal_key(place), removal.encode());
    reach(place.lsn, removal.timestamp);
    return {};
}

Result<bool> ItemWriter::expunge_key(const LogPlace& place,
                                     const Removal& removal,
                                     std::size_t limit) {
    const auto cursor = store_.scan(members_of(removal.epk), storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        const Docnum docnum = TRY(docnum_of_key(cursor->key()));
        const std::optional<StoredItem> item = TRY(load(docnum));
        // Distinguishes partition keys with equal hashes.
        if (!item || item->partition_key() != removal.partition_key) continue;
        if (item->header().lsn > place.lsn) continue;
        if (limit-- == 0) return false;
        TRY(expunge(*item));
    }
    TRY(cursor->status());
    return true;
}

Status ItemWriter::seal(const Seal& seal) {
    reach(seal.lsn, seal.timestamp);
    batch_.put(state_key(), {});  // finish() writes it, even if there are no items
    // An earlier source may have written it.
    const Lsn unordered = std::max(seal.unordered, TRY(unordered_until(store_)));
    if (unordered > 0) batch_.put(unordered_key(), lsn_value(unordered));
    if (keeps_versions_) {
        state_.versions_from = std::max(*state_.versions_from, seal.versions_from);
    }
    return {};
}

void ItemWriter::reach(Lsn lsn, std::int64_t timestamp) {
    state_.lsn = std::max(state_.lsn, lsn);
    state_.last_timestamp = std::max(state_.last_timestamp, timestamp);
}

Status ItemWriter::expunge(const StoredItem& old) {
    batch_.remove(item_key(old.docnum()));
    batch_.remove(member_key(old.epk(), old.docnum()));
    TRY(release_entries(old));
    TRY(erase_attachments(old));
    TRY(resize(old.epk(), old.docnum(), {.before = old.json().size(), .after = 0}));
    TRY(index_.remove(old));
    return {};
}

// Changes arrive by the place of an item's newest version, so a name that one item has given up may
// belong to another one here already.
Status ItemWriter::release_entries(const StoredItem& old) {
    const auto release = [&](const std::string& key) -> Status {
        std::string value;
        const bool own = TRY(get(key, value)) && TRY(docnum_of_value(value)) == old.docnum();
        if (own) batch_.remove(key);
        return {};
    };
    TRY(release(id_key(old.epk(), old.id())));
    for (std::size_t i = 0; i < old.unique_count(); ++i) {
        TRY(release(unique_key(old.epk(), static_cast<std::uint8_t>(i), old.unique_digest(i))));
    }
    TRY(keep_version(old));
    batch_.remove(log_key_of(old.header(), old.docnum()));
    if (old.header().ttl > 0) {
        batch_.remove(expiry_key(old.header().timestamp + old.header().ttl, old.docnum()));
    }
    --state_.item_count;
    state_.item_bytes -= old.json().size();
    return {};
}

}  // namespace orrery::partition
