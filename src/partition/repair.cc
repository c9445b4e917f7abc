#include "partition/repair.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "model/resource_id.h"
#include "partition/attachment_directory.h"
#include "partition/change_log.h"
#include "partition/gradual_writes.h"
#include "partition/item_record.h"
#include "partition/item_writer.h"
#include "partition/keys.h"
#include "partition/repair_index.h"
#include "partition/stray_entries.h"

namespace orrery::partition {

namespace {

constexpr std::size_t kRemarksMax = 100;

class Repairer {
public:
    Repairer(storage::PartitionStore& store, const RepairRules& rules)
        : store_(store), state_(store.snapshot()), rules_(rules), writes_(store) {}

    Result<Repair> run() {
        TRY(load_counters());
        TRY(mend_items());
        TRY(mend_attachments());
        TRY(note_removals());
        // An entry with a wrong value may have become the right one of another item.
        TRY(writes_.commit());
        state_ = store_.snapshot();
        for (const char letter : kItemLetters)
            TRY(remove_strays(letter));
        TRY(mend_key_sizes());
        TRY(mend_counters());
        TRY(writes_.commit());
        if (!TRY(index_is_sound(store_, rules_.computed))) {
            TRY(rebuild_index(store_, rules_.policy, rules_.computed));
            done_.index_rebuilt = true;
        }
        return std::move(done_);
    }

private:
    // What cannot be counted again is taken from the counters, if they are readable.
    Status load_counters() {
        std::string bytes;
        const bool found = TRY(state_->get(state_key(), bytes));
        auto decoded = State::decode(bytes);
        if (found && decoded) stored_ = counters_ = *decoded;
        counters_.item_count = 0;
        counters_.item_bytes = 0;
        counters_.attachment_owners = 0;
        counters_.attachment_bytes = 0;
        if (const auto until = unordered_until(*state_)) note_lsn(*until);
        const auto from = versions_from(*state_);
        if (from && *from) note_lsn(**from);
        return {};
    }

    Status mend_items() {
        const auto cursor = state_->scan(all_of('D'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            const auto docnum = docnum_of_key(cursor->key());
            if (!docnum) continue;
            const auto item = StoredItem::decode(*docnum, std::string(cursor->value()));
            if (!item) {
                remark("item " + std::to_string(*docnum) + " is damaged and cannot be repaired");
                continue;
            }
            TRY(mend_item(*item));
        }
        return cursor->status();
    }

    Status mend_item(const StoredItem& item) {
        const Docnum docnum = item.docnum();
        const ItemHeader& header = item.header();
        ++counters_.item_count;
        counters_.item_bytes += item.json().size();
        if (docnum < counters_.sized_below) {
            key_sizes_[key_size_key(item.epk())] += item.json().size();
        }
        note_lsn(header.lsn);
        note_timestamp(header.timestamp);
        note_docnum(docnum);
        TRY(put(id_key(item.epk(), item.id()), docnum_value(docnum)));
        TRY(put(member_key(item.epk(), docnum), ""));
        TRY(mend_log_entry(docnum, header));
        if (header.ttl > 0) TRY(put(expiry_key(header.timestamp + header.ttl, docnum), ""));
        for (std::size_t i = 0; i < item.unique_count(); ++i) {
            const auto number = static_cast<std::uint8_t>(i);
            TRY(put(unique_key(item.epk(), number, item.unique_digest(i)), docnum_value(docnum)));
        }
        return {};
    }

    Status mend_log_entry(Docnum docnum, const ItemHeader& header) {
        const std::string key = log_key_of(header, docnum);
        std::string value;
        const bool found = TRY(state_->get(key, value));
        const auto entry = LogEntry::decode(value);
        const bool has_kind = entry && entry->kind != ChangeKind::kUnknown;
        if (found && entry && header.origin.has_value() == has_kind &&
            entry->previous <= header.lsn) {
            return {};
        }
        // Which kind of change it was is lost.
        const LogEntry made{.kind = header.origin ? ChangeKind::kCreate : ChangeKind::kUnknown};
        return put(key, header.origin ? made.encode() : "");
    }

    Status mend_attachments() {
        const auto cursor = state_->scan(all_of('A'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            const auto docnum = docnum_of_key(cursor->key());
            const auto directory = AttachmentDirectory::decode(cursor->value());
            if (!docnum || !directory) continue;
            ++counters_.attachment_owners;
            counters_.attachment_bytes += directory->bytes();
            note_lsn(directory->lsn);
            TRY(put(attachment_log_key(directory->lsn, *docnum), ""));
            std::string record;
            if (*docnum >= counters_.sized_below || !TRY(state_->get(item_key(*docnum), record))) {
                continue;
            }
            const auto owner = ItemView::decode(*docnum, record);
            if (owner) key_sizes_[key_size_key(owner->epk)] += directory->bytes();
        }
        return cursor->status();
    }

    // Removed items and earlier versions have used numbers, too.
    Status note_removals() {
        for (const char letter : {'V', 'H'}) {
            const auto cursor = state_->scan(all_of(letter), storage::Direction::kForward);
            for (; cursor->valid(); cursor->next()) {
                const auto place = place_of(cursor->key());
                if (!place) continue;
                note_lsn(place->lsn);
                note_docnum(place->docnum);
                const auto removal = Removal::decode(cursor->value());
                if (letter == 'V' && removal) note_timestamp(removal->timestamp);
            }
            TRY(cursor->status());
        }
        return {};
    }

    Status remove_strays(char letter) {
        return find_stray_entries(
            *state_, letter, [&](std::string_view key, Docnum docnum) -> Status {
                std::string record;
                if (letter == 'K' && !TRY(state_->get(item_key(docnum), record))) {
                    remark("item " + std::to_string(docnum) + " is lost; its id entry was removed");
                }
                return remove(key);
            });
    }

    Status mend_key_sizes() {
        const auto cursor = state_->scan(all_of('B'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            if (!key_sizes_.contains(std::string(cursor->key()))) TRY(remove(cursor->key()));
        }
        TRY(cursor->status());
        for (const auto& [key, size] : key_sizes_)
            TRY(put(key, encode_key_size(size)));
        return {};
    }

    Status mend_counters() {
        std::string bytes;
        const bool found = TRY(state_->get(state_key(), bytes));
        const bool empty = !found && counters_.item_count == 0 && counters_.lsn == 0;
        if (empty || (stored_ && counters_.encode() == stored_->encode())) return {};
        done_.counters_corrected = true;
        return writes_.put(state_key(), counters_.encode());
    }

    void note_lsn(Lsn lsn) { counters_.lsn = std::max(counters_.lsn, lsn); }
    void note_timestamp(std::int64_t timestamp) {
        counters_.last_timestamp = std::max(counters_.last_timestamp, timestamp);
    }
    void note_docnum(Docnum docnum) {
        constexpr Docnum kCounterMask = (Docnum{1} << model::kItemCounterBits) - 1;
        if (docnum >> model::kItemCounterBits != rules_.range_id) return;
        counters_.last_item = std::max(counters_.last_item, docnum & kCounterMask);
    }

    Status put(const std::string& key, const std::string& value) {
        std::string found;
        if (TRY(state_->get(key, found)) && found == value) return {};
        ++done_.entries_written;
        return writes_.put(key, value);
    }
    Status remove(std::string_view key) {
        ++done_.entries_removed;
        return writes_.remove(key);
    }
    void remark(std::string what) {
        if (done_.remarks.size() < kRemarksMax) done_.remarks.push_back(std::move(what));
    }

    storage::PartitionStore& store_;
    std::shared_ptr<const storage::Reader> state_;
    const RepairRules& rules_;
    GradualWrites writes_;
    Repair done_;
    State counters_;
    std::optional<State> stored_;
    std::map<std::string, std::uint64_t> key_sizes_;  // by their keys
};

}  // namespace

Result<Repair> repair(storage::PartitionStore& store, const RepairRules& rules) {
    return Repairer(store, rules).run();
}

}  // namespace orrery::partition
