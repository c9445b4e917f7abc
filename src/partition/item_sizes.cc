// How much the items of each partition key take, with their attachments, where a key could reach
// its limit.
//
// No key takes more than its partition, so nothing is counted while a partition holds less than
// half of the limit. Then every commit also counts some of the items that are there already, in the
// order of their numbers and several times as many bytes as are written meanwhile, so that all are
// counted before a key can be full. Writes to items that are counted keep the sizes up to date.

#include <limits>
#include <string>

#include "base/check.h"
#include "partition/item_writer.h"

namespace orrery::partition {

namespace {

constexpr Docnum kAllItems = std::numeric_limits<Docnum>::max();

Error key_is_full(std::uint64_t bytes_max) {
    constexpr std::uint32_t kLogicalPartitionFull = 1014;
    const std::uint64_t megabytes = bytes_max >> 20;
    const std::string size = megabytes >= 1024 && megabytes % 1024 == 0
                                 ? std::to_string(megabytes >> 10) + " GB"
                                 : std::to_string(megabytes) + " MB";
    return Error(ErrorCode::kForbidden,
                 "Partition key reached maximum size of " + size +
                     ". Learn more: https://aka.ms/CosmosDB/sql/errors/full-pk",
                 kLogicalPartitionFull);
}

}  // namespace

Status ItemWriter::limit_keys(std::uint64_t bytes_max, std::size_t bytes_to_count) {
    key_bytes_max_ = bytes_max;
    const std::uint64_t bytes = state_.item_bytes + state_.attachment_bytes;
    if (bytes < bytes_max / 2 || state_.sized_below == kAllItems) return {};
    CHECK(batch_.empty());  // only what is in the store is counted here
    storage::Range uncounted = all_of('D');
    uncounted.from = item_key(state_.sized_below);
    const auto cursor = store_.scan(uncounted, storage::Direction::kForward);
    for (std::size_t counted = 0; cursor->valid(); cursor->next()) {
        const Docnum docnum = TRY(docnum_of_key(cursor->key()));
        if (counted >= bytes_to_count) {
            state_.sized_below = docnum;
            return {};
        }
        const ItemView item = TRY(ItemView::decode(docnum, cursor->value()));
        const std::uint64_t attachments = TRY(attachments_of(docnum)).bytes();
        TRY(add_to_key(item.epk, {.before = 0, .after = item.json.size() + attachments}));
        counted += cursor->value().size();
    }
    TRY(cursor->status());
    state_.sized_below = kAllItems;
    batch_.put(state_key(), {});  // finish() writes it
    return {};
}

Result<std::uint64_t> ItemWriter::add_to_key(std::string_view epk, const SizeChange& change) {
    const std::string key = key_size_key(epk);
    std::string value;
    std::uint64_t bytes = TRY(get(key, value)) ? TRY(decode_key_size(value)) : 0;
    if (bytes < change.before) {
        return Error(ErrorCode::kCorrupted, "the size of a partition key is too small");
    }
    bytes = bytes - change.before + change.after;
    if (bytes == 0) {
        batch_.remove(key);
    } else {
        batch_.put(key, encode_key_size(bytes));
    }
    return bytes;
}

Status ItemWriter::resize(std::string_view epk, Docnum docnum, const SizeChange& change) {
    if (docnum < state_.sized_below) TRY(add_to_key(epk, change));
    return {};
}

Status ItemWriter::resize_within_limit(const StoredItem& item, const SizeChange& change) {
    if (item.docnum() >= state_.sized_below) return {};
    const std::uint64_t bytes = TRY(add_to_key(item.epk(), change));
    const bool full = change.after > change.before && bytes > key_bytes_max_;
    return full ? Status(key_is_full(key_bytes_max_)) : Status();
}

}  // namespace orrery::partition
