#include "partition/item_writer.h"

#include <algorithm>
#include <limits>

#include "base/bytes.h"
#include "base/check.h"
#include "model/limits.h"
#include "partition/write_refusals.h"

namespace orrery::partition {

namespace {

// The item that a body identifies by its own key and id.
ItemRef ref_of(const model::ItemBody& body, std::string_view epk) {
    return {.epk = std::string(epk),
            .partition_key = body.partition_key.encode(),
            .id = body.id,
            .docnum = std::nullopt};
}

}  // namespace

std::string State::encode() const {
    std::string out;
    append_big_endian(out, static_cast<std::uint64_t>(lsn));
    append_big_endian(out, last_item);
    append_big_endian(out, item_count);
    append_big_endian(out, item_bytes);
    append_big_endian(out, static_cast<std::uint64_t>(last_timestamp));
    if (!etag_origin) return out;
    append_big_endian(out, static_cast<std::uint64_t>(removals_from));
    append_big_endian(out, *etag_origin);
    if (sized_below == 0 && attachment_owners == 0) return out;
    append_big_endian(out, sized_below);
    if (attachment_owners == 0) return out;
    append_big_endian(out, attachment_owners);
    append_big_endian(out, attachment_bytes);
    return out;
}

Result<State> State::decode(std::string_view bytes) {
    ByteReader reader(bytes);
    State state;
    state.lsn = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
    state.last_item = reader.big_endian<std::uint64_t>();
    state.item_count = reader.big_endian<std::uint64_t>();
    state.item_bytes = reader.big_endian<std::uint64_t>();
    state.last_timestamp = static_cast<std::int64_t>(reader.big_endian<std::uint64_t>());
    if (!reader.rest().empty()) {
        state.removals_from = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
        state.etag_origin = reader.big_endian<storage::PartitionId>();
    }
    if (!reader.rest().empty()) state.sized_below = reader.big_endian<Docnum>();
    if (!reader.rest().empty()) {
        state.attachment_owners = reader.big_endian<std::uint64_t>();
        state.attachment_bytes = reader.big_endian<std::uint64_t>();
    }
    const bool possible = lsn_is_possible(state.lsn) && lsn_is_possible(state.removals_from) &&
                          timestamp_is_possible(state.last_timestamp) &&
                          state.last_item >> model::kItemCounterBits == 0;
    if (!reader.ok() || !reader.rest().empty() || !possible) {
        return Error(ErrorCode::kCorrupted, "the counters of a partition are damaged");
    }
    return state;
}

ItemWriter::ItemWriter(const Identity& identity,
                       const State& state,
                       const storage::Reader& store,
                       ItemIndex& index,
                       std::int64_t now,
                       KeyDeletesPtr deletes)
    : identity_(identity),
      state_(state),
      store_(store),
      index_(index),
      now_(std::max(now, state.last_timestamp)),
      deletes_(std::move(deletes)) {
    CHECK(identity.range_id <= model::kRangeIdMax);
    index_.abandon();
}

Result<WrittenItem> ItemWriter::create(const model::ItemBody& body,
                                       std::string_view epk,
                                       const WriteRules& rules) {
    if (TRY(find_or_claim(ref_of(body, epk), rules))) return id_taken();
    return insert(body, epk, rules);
}

Result<WrittenItem> ItemWriter::upsert(const model::ItemBody& body,
                                       std::string_view epk,
                                       const WriteRules& rules) {
    const std::optional<StoredItem> old = TRY(find_or_claim(ref_of(body, epk), rules));
    if (!old) return insert(body, epk, rules);
    TRY(check_etag(rules, identity_, *old));
    return overwrite(*old, body, rules);
}

Result<WrittenItem> ItemWriter::replace(const ItemRef& ref,
                                        const model::ItemBody& body,
                                        const WriteRules& rules) {
    const std::optional<StoredItem> old = TRY(find(ref, rules));
    if (!old) return not_found();
    TRY(check_etag(rules, identity_, *old));
    return supersede(*old, body, rules);
}

Result<WrittenItem> ItemWriter::change(const ItemRef& ref,
                                       const Change& next,
                                       const WriteRules& rules) {
    const std::optional<StoredItem> old = TRY(find(ref, rules));
    if (!old) return not_found();
    TRY(check_etag(rules, identity_, *old));
    return supersede(*old, TRY(next(old->json())), rules);
}

Result<RemovedItem> ItemWriter::remove(const ItemRef& ref, const WriteRules& rules) {
    const std::optional<StoredItem> old = TRY(find(ref, rules));
    if (!old) return not_found();
    TRY(check_etag(rules, identity_, *old));
    const IndexChange index = TRY(remove_item(*old, ChangeKind::kDelete));
    return RemovedItem{.lsn = state_.lsn, .bytes = old->json().size(), .index = index};
}

Result<bool> ItemWriter::remove_if_hidden(Docnum docnum, std::optional<std::int32_t> default_ttl) {
    const std::optional<StoredItem> item = TRY(load(docnum));
    const Hidden hidden{{default_ttl, now_}, deletes_};
    if (!item || !hidden.hides(item->partition_key(), item->header())) return false;
    TRY(remove_hidden(*item));
    return true;
}

Result<Lsn> ItemWriter::delete_key(std::string_view partition_key, std::string_view epk) {
    if (deletes_ && deletes_->all().size() >= model::limits::kKeyDeletesMax &&
        deletes_->find(partition_key) == nullptr) {
        constexpr std::uint32_t kKeyDeleteLimit = 1032;
        return Error(ErrorCode::kForbidden,
                     "Too many partition keys are being deleted; try again later.",
                     kKeyDeleteLimit);
    }
    log_removal({.kind = ChangeKind::kKeyDelete,
                 .timestamp = now_,
                 .previous = 0,
                 .epk = std::string(epk),
                 .partition_key = std::string(partition_key),
                 .id = {}},
                0);
    KeyDelete added{.lsn = state_.lsn, .until = next_docnum(), .epk = std::string(epk)};
    batch_.put(key_delete_key(partition_key), added.encode());
    deletes_ = KeyDeletes::with(deletes_, partition_key, std::move(added));
    return state_.lsn;
}

Result<Docnum> ItemWriter::sweep_key(std::string_view partition_key,
                                     Docnum from,
                                     std::size_t limit) {
    const KeyDelete* found = deletes_ ? deletes_->find(partition_key) : nullptr;
    // Not in the batch of the delete itself: items written before it in that batch are not in the
    // store yet and would be missed.
    if (found == nullptr || batch_.last_operation_on(key_delete_key(partition_key))) return from;
    const KeyDelete under_way = *found;
    const storage::Range members{.from = member_key(under_way.epk, from),
                                 .until = member_key(under_way.epk, under_way.until)};
    const auto cursor = store_.scan(members, storage::Direction::kForward);
    for (std::size_t visited = 0; cursor->valid(); cursor->next(), ++visited) {
        const Docnum docnum = TRY(docnum_of_key(cursor->key()));
        if (visited == limit) return docnum;
        const std::optional<StoredItem> item = TRY(load(docnum));
        // Distinguishes partition keys with equal hashes.
        if (!item || item->partition_key() != partition_key) continue;
        if (item->header().lsn <= under_way.lsn) TRY(remove_hidden(*item));
    }
    TRY(cursor->status());
    batch_.remove(key_delete_key(partition_key));
    deletes_ = KeyDeletes::without(deletes_, partition_key);
    return under_way.until;
}

Status ItemWriter::adopt_policy(std::shared_ptr<const index::PathPolicy> policy) {
    return index_.adopt(
        std::move(policy),
        {.next = next_docnum(), .items = state_.item_count, .never_written = state_.lsn == 0});
}

Status ItemWriter::advance_index(const IndexStep& step) {
    return index_.advance(
        store_, [this](Docnum docnum) { return load(docnum); }, step);
}

void ItemWriter::rollback_to(const Savepoint& savepoint) {
    batch_.rollback_to(savepoint.batch);
    index_.rollback_to(savepoint.index);
    state_ = savepoint.state;
    changes_ = savepoint.changes;
    deletes_ = savepoint.deletes;
    removals_added_ = savepoint.removals_added;
}

const storage::WriteBatch& ItemWriter::finish() {
    index_.finish(batch_);
    if (removals_added_ > 0 && !keeps_removals_ && !keeps_versions_) trim_removals();
    if (!state_.etag_origin) state_.etag_origin = identity_.storage_id;
    if (!batch_.empty()) {
        store_versions_from();
        batch_.put(state_key(), state_.encode());
    }
    return batch_;
}

Result<bool> ItemWriter::get(std::string_view key, std::string& value) const {
    if (const auto written = batch_.last_operation_on(key)) {
        if (written->kind == storage::WriteBatch::Kind::kRemove) return false;
        value = written->value;
        return true;
    }
    return store_.get(key, value);
}

Result<std::optional<StoredItem>> ItemWriter::load(Docnum docnum) const {
    std::string record;
    if (!TRY(get(item_key(docnum), record))) return std::optional<StoredItem>();
    return std::optional(TRY(StoredItem::decode(docnum, std::move(record))));
}

Result<ItemWriter::Lookup> ItemWriter::look_up(const ItemRef& ref, const WriteRules& rules) {
    Docnum docnum = 0;
    if (ref.docnum) {
        docnum = *ref.docnum;
    } else {
        std::string value;
        if (!TRY(get(id_key(ref.epk, ref.id), value))) return Lookup{};
        docnum = TRY(docnum_of_value(value));
    }
    Lookup found{.item = TRY(load(docnum)), .id_taken = false};
    if (!found.item) return found;
    if (ref.partition_key && found.item->partition_key() != *ref.partition_key) {
        return Lookup{.item = std::nullopt, .id_taken = !ref.docnum};
    }
    const Hidden hidden{{rules.default_ttl, now_}, deletes_};
    if (hidden.hides(found.item->partition_key(), found.item->header())) {
        TRY(remove_hidden(*found.item));
        found.item.reset();
    }
    return found;
}

Result<std::optional<StoredItem>> ItemWriter::find(const ItemRef& ref, const WriteRules& rules) {
    return TRY(look_up(ref, rules)).item;
}

Result<std::optional<StoredItem>> ItemWriter::find_or_claim(const ItemRef& ref,
                                                            const WriteRules& rules) {
    Lookup found = TRY(look_up(ref, rules));
    if (found.id_taken) {
        constexpr std::uint32_t kHashCollision = 3302;
        return Error(ErrorCode::kConflict,
                     "Another partition key value with the same hash has an item with this id.",
                     kHashCollision);
    }
    return std::move(found.item);
}

Status ItemWriter::check_unique_keys(const model::ItemBody& body,
                                     std::string_view epk,
                                     Docnum self,
                                     const WriteRules& rules) {
    for (std::size_t i = 0; i < body.unique_digests.size(); ++i) {
        std::string value;
        const std::string key =
            unique_key(epk, static_cast<std::uint8_t>(i), body.unique_digests[i]);
        if (!TRY(get(key, value))) continue;
        const Docnum holder = TRY(docnum_of_value(value));
        if (holder == self || TRY(remove_if_hidden(holder, rules.default_ttl))) continue;
        constexpr std::uint32_t kUniqueIndexViolation = 3301;
        return Error(ErrorCode::kConflict,
                     "Unique index constraint violation. Resource with specified id, name, or "
                     "unique index already exists.",
                     kUniqueIndexViolation);
    }
    return {};
}

Docnum ItemWriter::next_docnum() const {
    return static_cast<Docnum>(identity_.range_id) << model::kItemCounterBits |
           (state_.last_item + 1);
}

Docnum ItemWriter::reserve_items(std::uint64_t count) {
    const Docnum first = next_docnum();
    state_.last_item += count;
    return first;
}

std::vector<Docnum> ItemWriter::items_changed_since(const Savepoint& savepoint) const {
    std::vector<Docnum> out;
    for (std::size_t i = savepoint.batch; i < batch_.size(); ++i) {
        const auto docnum = docnum_of_item_key(batch_.operation(i).key);
        if (docnum) out.push_back(*docnum);
    }
    return out;
}

std::uint16_t ItemWriter::next_change() {
    if (!changes_ || *changes_ == 0) ++state_.lsn;
    if (!changes_) return 0;
    CHECK(*changes_ < std::numeric_limits<std::uint16_t>::max());
    return (*changes_)++;
}

Result<WrittenItem> ItemWriter::insert(const model::ItemBody& body,
                                       std::string_view epk,
                                       const WriteRules& rules) {
    const Docnum docnum = assigned_ != nullptr ? assigned_->docnum : next_docnum();
    TRY(check_unique_keys(body, epk, docnum, rules));
    constexpr Docnum kCounterMask = (Docnum{1} << model::kItemCounterBits) - 1;
    state_.last_item = std::max(state_.last_item, docnum & kCounterMask);
    batch_.put(member_key(epk, docnum), {});
    StoredItem item = write_version(docnum, body, epk, rules, nullptr);
    TRY(resize_within_limit(item, {.before = 0, .after = item.json().size()}));
    const IndexChange index = TRY(index_.add(item));
    return WrittenItem{.item = std::move(item), .created = true, .old_bytes = 0, .index = index};
}

Result<WrittenItem> ItemWriter::supersede(const StoredItem& old,
                                          const model::ItemBody& body,
                                          const WriteRules& rules) {
    if (old.partition_key() != body.partition_key.encode()) {
        return Error(ErrorCode::kBadRequest, "The partition key of an item cannot be changed.");
    }
    if (old.id() != body.id) {
        const ItemRef renamed{.epk = std::string(old.epk()),
                              .partition_key = std::string(old.partition_key()),
                              .id = body.id,
                              .docnum = std::nullopt};
        if (TRY(find_or_claim(renamed, rules))) return id_taken();
    }
    return overwrite(old, body, rules);
}

Result<WrittenItem> ItemWriter::overwrite(const StoredItem& old,
                                          const model::ItemBody& body,
                                          const WriteRules& rules) {
    TRY(check_unique_keys(body, old.epk(), old.docnum(), rules));
    TRY(erase_entries(old, body.id));
    StoredItem item = write_version(old.docnum(), body, old.epk(), rules, &old);
    TRY(resize_within_limit(item, {.before = old.json().size(), .after = item.json().size()}));
    const IndexChange index = TRY(index_.replace(old, item));
    return WrittenItem{
        .item = std::move(item), .created = false, .old_bytes = old.json().size(), .index = index};
}

StoredItem ItemWriter::write_version(Docnum docnum,
                                     const model::ItemBody& body,
                                     std::string_view epk,
                                     const WriteRules& rules,
                                     const StoredItem* previous) {
    const std::uint16_t ordinal = next_change();
    state_.last_timestamp = now_;
    const ItemHeader header{.lsn = state_.lsn,
                            .timestamp = assigned_ != nullptr ? assigned_->timestamp : now_,
                            .ordinal = ordinal,
                            .ttl = body.ttl,
                            .indexing = rules.indexing,
                            .stamp = assigned_ != nullptr ? assigned_->stamp : 0,
                            .origin = static_cast<std::uint16_t>(identity_.storage_id),
                            .sole_change = !changes_,
                            .numbers = body.numbers};
    const std::string partition_key = body.partition_key.encode();

    std::string record;
    record.reserve(body.open_json.size() + 400);
    append_item_head(record,
                     header,
                     {.epk = epk,
                      .partition_key = partition_key,
                      .id = body.id,
                      .unique_digests = body.unique_digests});
    append_item_json(record, identity_, docnum, header, body, rules.system_properties);

    batch_.put(item_key(docnum), record);
    batch_.put(id_key(epk, body.id), docnum_value(docnum));
    const LogEntry entry{.kind = previous == nullptr ? ChangeKind::kCreate : ChangeKind::kReplace,
                         .previous = previous == nullptr ? 0 : previous->header().lsn};
    batch_.put(log_key_of(header, docnum), entry.encode());
    if (body.ttl > 0) batch_.put(expiry_key(header.timestamp + body.ttl, docnum), {});
    for (std::size_t i = 0; i < body.unique_digests.size(); ++i) {
        batch_.put(unique_key(epk, static_cast<std::uint8_t>(i), body.unique_digests[i]),
                   docnum_value(docnum));
    }
    ++state_.item_count;
    auto item = StoredItem::decode(docnum, std::move(record));
    CHECK(static_cast<bool>(item));
    state_.item_bytes += item->json().size();
    return std::move(item).take();
}

Result<IndexChange> ItemWriter::remove_item(const StoredItem& old, ChangeKind kind) {
    log_removal({.kind = kind,
                 .timestamp = now_,
                 .previous = old.header().lsn,
                 .epk = std::string(old.epk()),
                 .partition_key = std::string(old.partition_key()),
                 .id = std::string(old.id())},
                old.docnum());
    return erase_item(old);
}

Result<IndexChange> ItemWriter::remove_hidden(const StoredItem& old) {
    const bool deleted = deletes_ && deletes_->hides(old.partition_key(), old.header());
    if (deleted && !keeps_versions_) return erase_item(old);
    return remove_item(old, deleted ? ChangeKind::kDelete : ChangeKind::kExpiry);
}

void ItemWriter::log_removal(const Removal& removal, Docnum docnum) {
    const std::uint16_t ordinal = next_change();
    state_.last_timestamp = now_;
    batch_.put(removal_key({.lsn = state_.lsn, .ordinal = ordinal, .docnum = docnum}),
               removal.encode());
    ++removals_added_;
}

void ItemWriter::trim_removals() {
    const Lsn keep_from = state_.lsn - kRemovalsKeptLsns;
    if (state_.removals_from >= keep_from) return;
    const storage::Range old{.from = removal_key({.lsn = state_.removals_from}),
                             .until = removal_key({.lsn = keep_from})};
    const auto cursor = store_.scan(old, storage::Direction::kForward);
    for (std::size_t left = 2 * removals_added_; cursor->valid(); cursor->next(), --left) {
        const auto place = place_of(cursor->key());
        if (!place) return;  // verify() reports it
        state_.removals_from = place->lsn;
        if (left == 0) return;
        batch_.remove(cursor->key());
    }
    // An unreadable range is tried again with the next removal.
    if (cursor->status()) state_.removals_from = keep_from;
}

Result<IndexChange> ItemWriter::erase_item(const StoredItem& old) {
    batch_.remove(item_key(old.docnum()));
    batch_.remove(member_key(old.epk(), old.docnum()));
    TRY(erase_entries(old, std::nullopt));
    TRY(erase_attachments(old));
    TRY(resize(old.epk(), old.docnum(), {.before = old.json().size(), .after = 0}));
    return index_.remove(old);
}

Status ItemWriter::erase_entries(const StoredItem& old, std::optional<std::string_view> kept_id) {
    TRY(keep_version(old));
    if (kept_id != old.id()) batch_.remove(id_key(old.epk(), old.id()));
    batch_.remove(log_key_of(old.header(), old.docnum()));
    if (old.header().ttl > 0) {
        batch_.remove(expiry_key(old.header().timestamp + old.header().ttl, old.docnum()));
    }
    for (std::size_t i = 0; i < old.unique_count(); ++i) {
        batch_.remove(unique_key(old.epk(), static_cast<std::uint8_t>(i), old.unique_digest(i)));
    }
    --state_.item_count;
    state_.item_bytes -= old.json().size();
    return {};
}

}  // namespace orrery::partition
