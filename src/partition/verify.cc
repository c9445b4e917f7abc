#include "partition/verify.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "json/value.h"
#include "partition/attachment_directory.h"
#include "partition/change_log.h"
#include "partition/item_record.h"
#include "partition/item_writer.h"
#include "partition/key_deletes.h"
#include "partition/keys.h"
#include "partition/stray_entries.h"
#include "partition/verify_index.h"

namespace orrery::partition {

namespace {

constexpr std::size_t kProblemsMax = 100;

class Verifier {
public:
    explicit Verifier(const storage::PartitionStore& store) : state_(store.snapshot()) {}

    Result<Verification> run(const ComputedFactory& computed) {
        auto index = IndexVerifier::open(
            *state_, computed, [this](std::string what) { note(std::move(what)); });
        if (!index) note("the index cannot be read: " + index.error().message());
        TRY(load_counters());
        TRY(check_items(index ? &*index : nullptr));
        TRY(check_attachments());
        if (index) TRY(index->finish());
        // Every item accounts for its entries; any others are stray.
        TRY(check_count('K', result_.items));
        TRY(check_count('P', result_.items));
        TRY(check_count('L', result_.items));
        TRY(check_count('T', expiries_));
        TRY(check_count('U', uniques_));
        TRY(check_removals());
        TRY(check_versions());
        TRY(check_lsn(unordered_until(*state_)));
        if (const auto deletes = KeyDeletes::load(*state_); !deletes) {
            note(deletes.error().message());
        }
        TRY(check_state());
        TRY(check_key_sizes());
        return std::move(result_);
    }

private:
    Status check_items(IndexVerifier* index) {
        const auto cursor = state_->scan(all_of('D'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            const auto docnum = docnum_of_key(cursor->key());
            if (!docnum) {
                note(docnum.error().message());
                continue;
            }
            auto item = StoredItem::decode(*docnum, std::string(cursor->value()));
            if (!item) {
                problem(*docnum, item.error().message());
                continue;
            }
            TRY(check_item(*item));
            if (index != nullptr) TRY(index->check(*item));
        }
        return cursor->status();
    }

    Status check_item(const StoredItem& item) {
        const Docnum docnum = item.docnum();
        const ItemHeader& header = item.header();
        ++result_.items;
        bytes_ += item.json().size();
        if (docnum < counters_.sized_below)
            key_sizes_[std::string(item.epk())] += item.json().size();
        newest_lsn_ = std::max(newest_lsn_, header.lsn);
        newest_timestamp_ = std::max(newest_timestamp_, header.timestamp);
        const auto json = json::Value::parse(item.json());
        const json::Value* id = json ? json->find("id") : nullptr;
        if (id == nullptr || !id->is_string() || id->string() != item.id()) {
            problem(docnum, "its JSON is damaged or has another id");
        }
        TRY(expect(docnum, id_key(item.epk(), item.id()), docnum_value(docnum), "id"));
        TRY(expect(docnum, member_key(item.epk(), docnum), "", "member"));
        TRY(check_log_entry(docnum, header));
        if (header.ttl > 0) {
            TRY(expect(docnum, expiry_key(header.timestamp + header.ttl, docnum), "", "expiry"));
            ++expiries_;
        }
        for (std::size_t i = 0; i < item.unique_count(); ++i) {
            const std::string key =
                unique_key(item.epk(), static_cast<std::uint8_t>(i), item.unique_digest(i));
            TRY(expect(docnum, key, docnum_value(docnum), "unique key"));
            ++uniques_;
        }
        return {};
    }

    Status check_attachments() {
        const auto cursor = state_->scan(all_of('A'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            const auto docnum = docnum_of_key(cursor->key());
            const auto directory = AttachmentDirectory::decode(cursor->value());
            if (!docnum || !directory) {
                note((docnum ? directory.error() : docnum.error()).message());
                continue;
            }
            ++attachment_owners_;
            TRY(check_directory(*docnum, *directory));
        }
        TRY(cursor->status());
        TRY(check_count('Y', attachment_owners_));
        TRY(check_count('J', attachments_));
        return check_count('Q', media_);
    }

    Status check_directory(Docnum docnum, const AttachmentDirectory& directory) {
        TRY(expect(docnum, attachment_log_key(directory.lsn, docnum), "", "attachment log"));
        newest_lsn_ = std::max(newest_lsn_, directory.lsn);
        attachment_bytes_ += directory.bytes();
        std::string found;
        const bool owned = TRY(state_->get(item_key(docnum), found));
        const auto owner = ItemView::decode(docnum, found);
        if (!owned || !owner) {
            problem(docnum, "it is missing, but has attachments");
        } else if (docnum < counters_.sized_below) {
            key_sizes_[std::string(owner->epk)] += directory.bytes();
        }
        for (const AttachmentEntry& entry : directory.entries)
            TRY(check_attachment(docnum, entry));
        return {};
    }

    Status check_attachment(Docnum docnum, const AttachmentEntry& entry) {
        ++attachments_;
        std::string found;
        const bool there = TRY(state_->get(attachment_key(docnum, entry.number), found));
        const auto record = ItemView::decode(docnum, found);
        const bool right = there && record && record->id == entry.id &&
                           record->header.lsn == entry.lsn &&
                           record->json.size() == entry.json_bytes;
        if (!right) problem(docnum, "an attachment of it is missing or wrong");
        if (!entry.media_bytes) return {};
        ++media_;
        if (!TRY(state_->get(media_key(docnum, entry.number), found)) ||
            found.size() != *entry.media_bytes) {
            problem(docnum, "media of it is missing or wrong");
        }
        return {};
    }

    Status check_log_entry(Docnum docnum, const ItemHeader& header) {
        std::string value;
        const bool found = TRY(state_->get(log_key_of(header, docnum), value));
        const auto entry = LogEntry::decode(value);
        // Records of format 2 have entries without content.
        const bool right = found && entry && entry->previous <= header.lsn &&
                           header.origin.has_value() == (entry->kind != ChangeKind::kUnknown);
        if (!right) problem(docnum, "its log entry is missing or wrong");
        return {};
    }

    Status check_removals() {
        const auto cursor = state_->scan(all_of('V'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            const auto place = place_of(cursor->key());
            const auto removal = Removal::decode(cursor->value());
            if (!place || !removal) {
                note((place ? removal.error() : place.error()).message());
                continue;
            }
            newest_lsn_ = std::max(newest_lsn_, place->lsn);
            newest_timestamp_ = std::max(newest_timestamp_, removal->timestamp);
        }
        return cursor->status();
    }

    // A version must be where it was in the log.
    Status check_versions() {
        const auto from = versions_from(*state_);
        TRY(check_lsn(from ? Result<Lsn>(from->value_or(0)) : Result<Lsn>(from.error().copy())));
        const auto cursor = state_->scan(all_of('H'), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            const auto place = place_of(cursor->key());
            const auto version = Version::decode(cursor->value());
            if (!place || !version) {
                note((place ? version.error() : place.error()).message());
                continue;
            }
            const auto item = ItemView::decode(place->docnum, version->record);
            if (!item || item->header.lsn != place->lsn || item->header.ordinal != place->ordinal) {
                problem(place->docnum, "a version of it is damaged or in the wrong place");
            }
            newest_lsn_ = std::max(newest_lsn_, place->lsn);
        }
        return cursor->status();
    }

    Status check_lsn(const Result<Lsn>& lsn) {
        if (lsn) {
            newest_lsn_ = std::max(newest_lsn_, *lsn);
        } else {
            note(lsn.error().message());
        }
        return {};
    }

    Status expect(Docnum docnum, std::string_view key, std::string_view value, const char* what) {
        std::string found;
        if (!TRY(state_->get(key, found)) || found != value) {
            problem(docnum, std::string("its ") + what + " entry is missing or wrong");
        }
        return {};
    }

    Status check_count(char letter, std::uint64_t expected) {
        std::uint64_t found = 0;
        const auto cursor = state_->scan(all_of(letter), storage::Direction::kForward);
        for (; cursor->valid(); cursor->next()) {
            ++found;
        }
        TRY(cursor->status());
        if (found != expected) {
            note(std::string("there are ") + std::to_string(found) + " entries '" + letter +
                 "', but the items account for " + std::to_string(expected));
            if (kItemLetters.find(letter) != std::string_view::npos) TRY(name_strays(letter));
        }
        return {};
    }

    Status name_strays(char letter) {
        return find_stray_entries(*state_, letter, [&](std::string_view key, Docnum docnum) {
            problem(docnum, "it has no such entry '" + to_hex_upper(key) + "'");
            return Status();
        });
    }

    Status load_counters() {
        std::string bytes;
        if (!TRY(state_->get(state_key(), bytes))) return {};
        auto decoded = State::decode(bytes);
        if (!decoded) note(decoded.error().message());
        if (decoded) counters_ = *decoded;
        return {};
    }

    Status check_key_sizes() {
        for (const auto& [epk, size] : key_sizes_) {
            std::string value;
            if (!TRY(state_->get(key_size_key(epk), value)) || value != encode_key_size(size)) {
                note("the size of a partition key is missing or wrong");
            }
        }
        return check_count('B', key_sizes_.size());
    }

    Status check_state() {
        const State& state = counters_;
        if (state.item_count != result_.items || state.item_bytes != bytes_) {
            note("the counters say " + std::to_string(state.item_count) + " items, " +
                 std::to_string(state.item_bytes) + " bytes; there are " +
                 std::to_string(result_.items) + " and " + std::to_string(bytes_));
        }
        if (state.attachment_owners != attachment_owners_ ||
            state.attachment_bytes != attachment_bytes_) {
            note("the counters of attachments are wrong");
        }
        if (state.lsn < newest_lsn_ || state.last_timestamp < newest_timestamp_) {
            note("a change is newer than the partition's counters");
        }
        return {};
    }

    void problem(Docnum docnum, const std::string& what) {
        note("item " + std::to_string(docnum) + ": " + what);
    }
    void note(std::string what) {
        if (result_.problems.size() < kProblemsMax) result_.problems.push_back(std::move(what));
    }

    std::shared_ptr<const storage::Reader> state_;
    Verification result_;
    std::uint64_t expiries_ = 0;
    std::uint64_t uniques_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t attachment_owners_ = 0;
    std::uint64_t attachment_bytes_ = 0;
    std::uint64_t attachments_ = 0;
    std::uint64_t media_ = 0;
    State counters_;
    std::map<std::string, std::uint64_t> key_sizes_;  // by EPK
    std::int64_t newest_lsn_ = 0;
    std::int64_t newest_timestamp_ = 0;
};

}  // namespace

Result<Verification> verify(const storage::PartitionStore& store, const ComputedFactory& computed) {
    return Verifier(store).run(computed);
}

}  // namespace orrery::partition
