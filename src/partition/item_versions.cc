// What a partition keeps for change feeds with all versions and deletes. Versions stay in the log
// under another letter when they are no longer the newest, until they are older than the container
// keeps them.

#include <algorithm>

#include "partition/item_writer.h"

namespace orrery::partition {

void ItemWriter::keep_versions() {
    keeps_versions_ = true;
    if (!state_.versions_from) state_.versions_from = state_.lsn;
}

void ItemWriter::store_versions_from() {
    if (keeps_versions_) {
        batch_.put(versions_from_key(), lsn_value(*state_.versions_from));
    } else if (state_.versions_from) {
        // From this batch on there are gaps.
        batch_.remove(versions_from_key());
        state_.versions_from.reset();
    }
}

Status ItemWriter::keep_version(const StoredItem& old) {
    if (!keeps_versions_) return {};
    const ItemHeader& header = old.header();
    std::string entry;
    if (!TRY(get(log_key_of(header, old.docnum()), entry))) {
        return Error(ErrorCode::kCorrupted, "an item has no log entry");
    }
    batch_.put(version_key({.lsn = header.lsn, .ordinal = header.ordinal, .docnum = old.docnum()}),
               Version::encode(entry, old.record()));
    return {};
}

Result<bool> ItemWriter::trim_versions(std::optional<std::int64_t> before, std::size_t limit) {
    if (keeps_removals_) return false;  // they are being copied
    std::size_t left = limit;
    // Ends at the first change that is young enough. Returns the LSN of the last one removed.
    const auto trim = [&](char letter, const auto& timestamp_of) -> Result<Lsn> {
        Lsn removed = 0;
        const auto cursor = store_.scan(all_of(letter), storage::Direction::kForward);
        for (; cursor->valid() && left > 0; cursor->next(), --left) {
            if (before && TRY(timestamp_of(cursor->key(), cursor->value())) >= *before) break;
            removed = TRY(place_of(cursor->key())).lsn;
            batch_.remove(cursor->key());
        }
        TRY(cursor->status());
        return removed;
    };
    const auto of_version = [](std::string_view key,
                               std::string_view value) -> Result<std::int64_t> {
        const Docnum docnum = TRY(docnum_of_key(key));
        const Version version = TRY(Version::decode(value));
        return TRY(ItemView::decode(docnum, version.record)).header.timestamp;
    };
    const auto of_removal = [](std::string_view /*key*/,
                               std::string_view value) -> Result<std::int64_t> {
        return TRY(Removal::decode(value)).timestamp;
    };
    const Lsn versions = TRY(trim('H', of_version));
    const Lsn removals = before ? TRY(trim('V', of_removal)) : 0;
    state_.removals_from = std::max(state_.removals_from, removals);
    if (state_.versions_from) {
        state_.versions_from = std::max({*state_.versions_from, versions, removals});
    }
    return left == 0;
}

void ItemWriter::import_version(const LogPlace& place, std::string_view value) {
    batch_.put(version_key(place), value);
}

void ItemWriter::import_delete(std::string_view partition_key, KeyDelete under_way) {
    batch_.put(key_delete_key(partition_key), under_way.encode());
    deletes_ = KeyDeletes::with(deletes_, partition_key, std::move(under_way));
}

}  // namespace orrery::partition
