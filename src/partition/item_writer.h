// The only code that changes items. Each operation writes the item, its id entry, log entry, unique
// keys, expiry and index entries in one batch, and can be rolled back to a savepoint. Runs on the
// partition's executor only: one writer at a time, no locks.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/attachment.h"
#include "model/item_body.h"
#include "partition/attachment_directory.h"
#include "partition/change_log.h"
#include "partition/identity.h"
#include "partition/item_index.h"
#include "partition/item_json.h"
#include "partition/item_record.h"
#include "partition/key_deletes.h"
#include "partition/keys.h"
#include "storage/engine.h"

namespace orrery::partition {

// The counters in every commit. On disk in this order (docs/storage-format.md).
struct State {
    Lsn lsn = 0;                  // of the newest change
    std::uint64_t last_item = 0;  // counter of the newest docnum
    std::uint64_t item_count = 0;
    std::uint64_t item_bytes = 0;
    std::int64_t last_timestamp = 0;  // never decreases, whatever the clock does
    Lsn removals_from = 0;            // the log holds no removals before this LSN
    // The partition in the etags of records that do not name their origin. Copied when the items
    // move to another partition. Nothing in data directories of format 2: the partition itself.
    std::optional<storage::PartitionId> etag_origin = std::nullopt;
    // The sizes of partition keys include the items with lower numbers (item_sizes.cc).
    Docnum sized_below = 0;
    std::uint64_t attachment_owners = 0;  // items that have or had attachments
    std::uint64_t attachment_bytes = 0;   // of attachments and their media
    // All versions are kept from this LSN on. Stored under a key of its own.
    std::optional<Lsn> versions_from = std::nullopt;

    std::string encode() const;
    static Result<State> decode(std::string_view bytes);
};

// Addresses an item by partition key and id, or by the number in its rid.
struct ItemRef {
    std::string epk;
    // Encoded. An item of another partition key is not found, even if the hashes are equal. nullopt
    // matches any key and is allowed only with a docnum.
    std::optional<std::string> partition_key;
    std::string id;
    std::optional<Docnum> docnum;  // if set, id is ignored
};

// Conditions of one operation.
struct WriteRules {
    std::optional<std::int32_t> default_ttl;  // the container's
    std::optional<std::string> if_match;      // header value
    IndexingDirective indexing = IndexingDirective::kDefault;
    SystemProperties system_properties = SystemProperties::kAll;
};

struct WrittenItem {
    StoredItem item;
    bool created = false;
    std::size_t old_bytes = 0;  // JSON of the version that was replaced
    IndexChange index;
};

struct RemovedItem {
    Lsn lsn = 0;  // of the removal
    std::size_t bytes = 0;
    IndexChange index;
};

struct WrittenAttachment {
    StoredItem attachment;
    bool created = false;
    // With media.
    std::uint64_t old_bytes = 0;
    std::uint64_t new_bytes = 0;
};

inline constexpr std::uint64_t kNoKeyLimit = std::numeric_limits<std::uint64_t>::max();

class ItemWriter {
public:
    // `index` is the partition's; uncommitted changes of an earlier writer are dropped from it.
    // Call its committed() after this writer's batch is committed. `deletes` are those in force.
    ItemWriter(const Identity& identity,
               const State& state,
               const storage::Reader& store,
               ItemIndex& index,
               std::int64_t now,
               KeyDeletesPtr deletes = nullptr);

    Result<WrittenItem> create(const model::ItemBody& body,
                               std::string_view epk,
                               const WriteRules& rules);
    Result<WrittenItem> upsert(const model::ItemBody& body,
                               std::string_view epk,
                               const WriteRules& rules);
    // The body's partition key must equal the item's; the id may differ, which renames the item.
    Result<WrittenItem> replace(const ItemRef& ref,
                                const model::ItemBody& body,
                                const WriteRules& rules);
    // Replaces the item with what `next` makes of its JSON, under the rules of replace().
    using Change = std::function<Result<model::ItemBody>(std::string_view json)>;
    Result<WrittenItem> change(const ItemRef& ref, const Change& next, const WriteRules& rules);
    Result<RemovedItem> remove(const ItemRef& ref, const WriteRules& rules);
    // The live item including writes so far, or nullopt.
    Result<std::optional<StoredItem>> read(const ItemRef& ref, const WriteRules& rules) {
        return find(ref, rules);
    }
    // Removes the item if it exists but is hidden (expired, or deleted with its partition key);
    // returns whether it did. The delete of a partition key is in the log already, an expiry is
    // added.
    Result<bool> remove_if_hidden(Docnum docnum, std::optional<std::int32_t> default_ttl);

    // Deletes all items of the partition key at once by hiding them; sweep_key() removes them.
    // Returns the LSN. 403/1032 if too many such deletes are in progress.
    Result<Lsn> delete_key(std::string_view partition_key, std::string_view epk);
    // Removes deleted items among up to `limit` items of the key, starting at number `from`;
    // returns where to continue. Ends the delete when no items are left. Not a change in the log.
    Result<Docnum> sweep_key(std::string_view partition_key, Docnum from, std::size_t limit);
    const KeyDeletesPtr& deletes() const { return deletes_; }

    // The attachments of an item (attachment_writer.cc). The rules' If-Match is about the
    // attachment.
    Result<WrittenAttachment> create_attachment(const ItemRef& owner,
                                                const model::AttachmentBody& body,
                                                const WriteRules& rules);
    Result<WrittenAttachment> upsert_attachment(const ItemRef& owner,
                                                const model::AttachmentBody& body,
                                                const WriteRules& rules);
    Result<WrittenAttachment> replace_attachment(const ItemRef& owner,
                                                 const AttachmentRef& ref,
                                                 const model::AttachmentBody& body,
                                                 const WriteRules& rules);
    Result<RemovedItem> remove_attachment(const ItemRef& owner,
                                          const AttachmentRef& ref,
                                          const WriteRules& rules);

    // Taking over the changes of another partition, in the order of its log (item_import.cc). The
    // newest version of an item replaces one that was imported before.
    Status import(const StoredItem& item, const LogEntry& entry);
    Status import(const LogPlace& place, const Removal& removal);
    // Taking over the attachments of an item: those that have changed, then their directory.
    // Nothing happens if the item was not taken over.
    Status import_attachment(Docnum docnum,
                             std::uint32_t number,
                             std::string_view record,
                             const std::optional<std::string>& media);
    Status import_attachments(Docnum docnum, const AttachmentDirectory& directory);
    // Removes up to `limit` items of a deleted partition key; returns whether that were all.
    Result<bool> expunge_key(const LogPlace& place, const Removal& removal, std::size_t limit);
    // The partition continues from this LSN and time, with a log that is not in the order of
    // timestamps up to `unordered`.
    struct Seal {
        Lsn lsn = 0;
        std::int64_t timestamp = 0;
        Lsn unordered = 0;
        Lsn versions_from = 0;  // if they are kept
    };
    Status seal(const Seal& seal);
    // The same for a version that was not the newest any more, and for a delete of a partition key
    // whose items have been imported although it hides them.
    void import_version(const LogPlace& place, std::string_view value);
    void import_delete(std::string_view partition_key, KeyDelete under_way);

    // Keeps the versions that are replaced or removed, and logs every item of a deleted partition
    // key (item_versions.cc). Call before any change.
    void keep_versions();
    // Removes up to `limit` kept versions and removals of before that time (Unix seconds); without
    // a time all versions. Returns whether there may be more.
    Result<bool> trim_versions(std::optional<std::int64_t> before, std::size_t limit);

    // Keeps removals from being trimmed, for those who copy the log.
    void keep_removals() { keeps_removals_ = true; }

    // Refuses writes that make the items of one partition key larger than that: 403/1014. Call
    // before the first write: it counts items that are not counted yet, for the bytes given.
    Status limit_keys(std::uint64_t bytes_max, std::size_t bytes_to_count);

    // Changes of the whole index (item_index.h).
    Status adopt_policy(std::shared_ptr<const index::PathPolicy> policy);
    Status advance_index(const IndexStep& step = {});

    // Until end_transaction(), all changes share one LSN and are distinguished by their ordinals.
    void begin_transaction() { changes_ = 0; }
    void end_transaction() { changes_.reset(); }

    // Reserves `count` numbers for new items; returns the first.
    Docnum reserve_items(std::uint64_t count);
    // Number, stamp and timestamp for written items, instead of the writer's own choice: a
    // transaction shows its writes to a script before the commit, and must commit what it showed.
    struct AssignedIdentity {
        Docnum docnum = 0;  // for a new item; reserved
        std::uint64_t stamp = 0;
        std::int64_t timestamp = 0;
    };
    // Applies to all operations until called with null.
    void use_identity(const AssignedIdentity* assigned) { assigned_ = assigned; }

    struct Savepoint {
        storage::WriteBatch::Savepoint batch;
        ItemIndex::Savepoint index;
        State state;
        std::optional<std::uint16_t> changes;
        KeyDeletesPtr deletes;
        std::size_t removals_added = 0;
    };
    Savepoint savepoint() const {
        return {
            batch_.savepoint(), index_.savepoint(), state_, changes_, deletes_, removals_added_};
    }
    void rollback_to(const Savepoint& savepoint);

    // The item including writes so far, expired or not; nullopt if there is none.
    Result<std::optional<StoredItem>> item(Docnum docnum) const { return load(docnum); }
    std::vector<Docnum> items_changed_since(const Savepoint& savepoint) const;
    std::size_t byte_size() const { return batch_.byte_size(); }

    // The batch of all changes plus the counters, ready to commit; empty if nothing changed.
    const storage::WriteBatch& finish();
    const State& state() const { return state_; }

private:
    Result<bool> get(std::string_view key, std::string& value) const;
    Result<std::optional<StoredItem>> load(Docnum docnum) const;
    struct Lookup {
        std::optional<StoredItem> item;
        // Another partition key with the same hash holds the shared id entry.
        bool id_taken = false;
    };
    // The live item, if any. Removes a hidden one that has not been swept yet, so that it blocks
    // neither its id nor its unique keys.
    Result<Lookup> look_up(const ItemRef& ref, const WriteRules& rules);
    Result<std::optional<StoredItem>> find(const ItemRef& ref, const WriteRules& rules);
    // The same for operations that need the id: 409/3302 if another partition key holds it.
    Result<std::optional<StoredItem>> find_or_claim(const ItemRef& ref, const WriteRules& rules);
    Status check_unique_keys(const model::ItemBody& body,
                             std::string_view epk,
                             Docnum self,
                             const WriteRules& rules);
    Result<WrittenItem> insert(const model::ItemBody& body,
                               std::string_view epk,
                               const WriteRules& rules);
    Result<WrittenItem> overwrite(const StoredItem& old,
                                  const model::ItemBody& body,
                                  const WriteRules& rules);
    // A new version that keeps the partition key, but may change the id.
    Result<WrittenItem> supersede(const StoredItem& old,
                                  const model::ItemBody& body,
                                  const WriteRules& rules);
    Docnum next_docnum() const;
    // Assigns the LSN of a change; returns its ordinal.
    std::uint16_t next_change();
    // Puts the item and all entries for it except the index, and assigns the LSN. `previous` is the
    // version it replaces, if any.
    StoredItem write_version(Docnum docnum,
                             const model::ItemBody& body,
                             std::string_view epk,
                             const WriteRules& rules,
                             const StoredItem* previous);
    // Removes the item as a change of that kind.
    Result<IndexChange> remove_item(const StoredItem& old, ChangeKind kind);
    // The same for an item that is hidden.
    Result<IndexChange> remove_hidden(const StoredItem& old);
    // Removes an item and all entries for it.
    Result<IndexChange> erase_item(const StoredItem& old);
    // Assigns the LSN of a change that leaves no item, and adds it to the log.
    void log_removal(const Removal& removal, Docnum docnum);
    // Drops removals that are older than the log keeps them: a few more than were added.
    void trim_removals();
    // Removes all entries except the item itself, and except its id entry if that is `kept_id`.
    Status erase_entries(const StoredItem& old, std::optional<std::string_view> kept_id);
    // Keeps a version that is about to be erased, if all are kept.
    Status keep_version(const StoredItem& old);
    void store_versions_from();
    // Of the sizes of partition keys (item_sizes.cc).
    struct SizeChange {
        std::size_t before = 0;
        std::size_t after = 0;
    };
    Result<std::uint64_t> add_to_key(std::string_view epk, const SizeChange& change);
    Status resize(std::string_view epk, Docnum docnum, const SizeChange& change);
    // 403/1014 if the key is full.
    Status resize_within_limit(const StoredItem& item, const SizeChange& change);
    // Of attachments. An item without any has an empty directory.
    Result<AttachmentDirectory> attachments_of(Docnum docnum) const;
    Result<StoredItem> load_attachment(Docnum docnum, std::uint32_t number) const;
    // 412 unless it is the version that the rules expect.
    Status check_attachment(Docnum docnum, std::uint32_t number, const WriteRules& rules) const;
    Result<WrittenAttachment> write_attachment(const StoredItem& owner,
                                               const AttachmentDirectory& before,
                                               std::optional<AttachmentEntry> replaced,
                                               const model::AttachmentBody& body);
    ItemHeader next_header();
    Result<StoredItem> attachment_record(const StoredItem& owner,
                                         const model::AttachmentRid& rid,
                                         const ItemHeader& header,
                                         std::string_view id,
                                         const json::Value& properties) const;
    // Also counts the difference; the caller adds it to the size of the partition key.
    SizeChange store_directory(Docnum docnum,
                               const AttachmentDirectory& before,
                               const AttachmentDirectory& after);
    void erase_attachment(Docnum docnum, const AttachmentEntry& entry);
    Status erase_attachments(const StoredItem& owner);
    // Of import().
    Status expunge(const StoredItem& old);
    Status release_entries(const StoredItem& old);
    void reach(Lsn lsn, std::int64_t timestamp);

    const Identity& identity_;
    State state_;
    const storage::Reader& store_;
    ItemIndex& index_;
    std::int64_t now_;
    std::optional<std::uint16_t> changes_;  // in the current transaction
    const AssignedIdentity* assigned_ = nullptr;
    KeyDeletesPtr deletes_;
    std::size_t removals_added_ = 0;
    bool keeps_removals_ = false;
    std::uint64_t key_bytes_max_ = kNoKeyLimit;
    bool keeps_versions_ = false;
    storage::WriteBatch batch_;
};

}  // namespace orrery::partition
