// The attachments of items. They are written and removed with the same writer, so that an item and
// its attachments never part. A change of an attachment has an LSN, but is no change of its item.

#include <algorithm>
#include <limits>

#include "model/attachment.h"
#include "model/limits.h"
#include "partition/write_refusals.h"

namespace orrery::partition {

namespace {

Error too_many_attachments() {
    return Error(ErrorCode::kForbidden,
                 "The item has reached the maximum of " +
                     std::to_string(model::limits::kAttachmentsMax) + " attachments.");
}

// The properties that a write leaves. Media adds to those that the attachment has.
Result<json::Value> merged_properties(const model::AttachmentBody& body,
                                      const std::optional<StoredItem>& old,
                                      const std::string& own_link) {
    if (!body.media) return body.properties;
    json::Value out(json::Value::Object{});
    if (old) {
        const json::Value before = TRY(json::Value::parse(old->json()));
        for (const json::Value::Member& member : before.object()) {
            if (!model::is_system_property(member.name)) out.set(member.name, member.value);
        }
    }
    for (const json::Value::Member& member : body.properties.object())
        out.set(member.name, member.value);
    out.set("media", own_link);
    return out;
}

}  // namespace

Result<AttachmentDirectory> ItemWriter::attachments_of(Docnum docnum) const {
    std::string bytes;
    if (state_.attachment_owners == 0 || !TRY(get(attachments_key(docnum), bytes))) {
        return AttachmentDirectory();
    }
    return AttachmentDirectory::decode(bytes);
}

Result<WrittenAttachment> ItemWriter::create_attachment(const ItemRef& owner,
                                                        const model::AttachmentBody& body,
                                                        const WriteRules& rules) {
    const std::optional<StoredItem> item = TRY(find(owner, rules));
    if (!item) return not_found();
    const AttachmentDirectory directory = TRY(attachments_of(item->docnum()));
    if (directory.find({.id = body.id, .number = std::nullopt})) return id_taken();
    return write_attachment(*item, directory, std::nullopt, body);
}

Result<WrittenAttachment> ItemWriter::upsert_attachment(const ItemRef& owner,
                                                        const model::AttachmentBody& body,
                                                        const WriteRules& rules) {
    const std::optional<StoredItem> item = TRY(find(owner, rules));
    if (!item) return not_found();
    const AttachmentDirectory directory = TRY(attachments_of(item->docnum()));
    const AttachmentEntry* entry = directory.find({.id = body.id, .number = std::nullopt});
    if (entry == nullptr) return write_attachment(*item, directory, std::nullopt, body);
    TRY(check_attachment(item->docnum(), entry->number, rules));
    return write_attachment(*item, directory, *entry, body);
}

Result<WrittenAttachment> ItemWriter::replace_attachment(const ItemRef& owner,
                                                         const AttachmentRef& ref,
                                                         const model::AttachmentBody& body,
                                                         const WriteRules& rules) {
    const std::optional<StoredItem> item = TRY(find(owner, rules));
    if (!item) return not_found();
    const AttachmentDirectory directory = TRY(attachments_of(item->docnum()));
    const AttachmentEntry* entry = directory.find(ref);
    if (entry == nullptr) return not_found();
    TRY(check_attachment(item->docnum(), entry->number, rules));
    const bool renames = !body.id.empty() && body.id != entry->id;
    if (renames && directory.find({.id = body.id, .number = std::nullopt})) return id_taken();
    return write_attachment(*item, directory, *entry, body);
}

Result<RemovedItem> ItemWriter::remove_attachment(const ItemRef& owner,
                                                  const AttachmentRef& ref,
                                                  const WriteRules& rules) {
    const std::optional<StoredItem> item = TRY(find(owner, rules));
    if (!item) return not_found();
    AttachmentDirectory directory = TRY(attachments_of(item->docnum()));
    const AttachmentEntry* found = directory.find(ref);
    if (found == nullptr) return not_found();
    const AttachmentEntry entry = *found;
    TRY(check_attachment(item->docnum(), entry.number, rules));
    erase_attachment(item->docnum(), entry);
    const AttachmentDirectory before = directory;
    directory.remove(entry.number);
    next_change();
    state_.last_timestamp = now_;
    directory.lsn = state_.lsn;
    const SizeChange change = store_directory(item->docnum(), before, directory);
    TRY(resize(item->epk(), item->docnum(), change));
    return RemovedItem{.lsn = state_.lsn, .bytes = entry.bytes(), .index = {}};
}

Status ItemWriter::check_attachment(Docnum docnum,
                                    std::uint32_t number,
                                    const WriteRules& rules) const {
    if (!rules.if_match) return {};
    const StoredItem current = TRY(load_attachment(docnum, number));
    return check_etag(rules, identity_, current);
}

Result<StoredItem> ItemWriter::load_attachment(Docnum docnum, std::uint32_t number) const {
    std::string record;
    if (!TRY(get(attachment_key(docnum, number), record))) {
        return Error(ErrorCode::kCorrupted, "an attachment is missing");
    }
    return StoredItem::decode(docnum, std::move(record));
}

Result<WrittenAttachment> ItemWriter::write_attachment(const StoredItem& owner,
                                                       const AttachmentDirectory& before,
                                                       std::optional<AttachmentEntry> replaced,
                                                       const model::AttachmentBody& body) {
    AttachmentDirectory after = before;
    if (!replaced) {
        const bool full = before.entries.size() >= model::limits::kAttachmentsMax ||
                          before.last_number == std::numeric_limits<std::uint32_t>::max();
        if (full) return too_many_attachments();
        ++after.last_number;
    }
    AttachmentEntry entry = replaced.value_or(AttachmentEntry{});
    if (!replaced) entry.number = after.last_number;
    const model::AttachmentRid rid{
        .item = {.container = identity_.container, .number = owner.docnum()},
        .number = entry.number};
    const std::string own_link = model::media_link(rid.media_id());
    std::optional<StoredItem> old;
    if (replaced) old = TRY(load_attachment(owner.docnum(), entry.number));
    const json::Value properties = TRY(merged_properties(body, old, own_link));
    if (!body.id.empty()) entry.id = body.id;

    const ItemHeader header = next_header();
    StoredItem written = TRY(attachment_record(owner, rid, header, entry.id, properties));
    batch_.put(attachment_key(owner.docnum(), entry.number), written.record());
    const std::string media = media_key(owner.docnum(), entry.number);
    if (body.media) {
        batch_.put(media, *body.media);
        entry.media_bytes = body.media->size();
    } else if (entry.media_bytes && *properties.find("media") != json::Value(own_link)) {
        batch_.remove(media);
        entry.media_bytes.reset();
    }
    entry.lsn = header.lsn;
    entry.json_bytes = written.json().size();
    after.lsn = header.lsn;
    const std::uint64_t new_bytes = entry.bytes();
    after.put(std::move(entry));
    TRY(resize_within_limit(owner, store_directory(owner.docnum(), before, after)));
    return WrittenAttachment{.attachment = std::move(written),
                             .created = !replaced,
                             .old_bytes = replaced ? replaced->bytes() : 0,
                             .new_bytes = new_bytes};
}

ItemHeader ItemWriter::next_header() {
    const std::uint16_t ordinal = next_change();
    state_.last_timestamp = now_;
    return {.lsn = state_.lsn,
            .timestamp = now_,
            .ordinal = ordinal,
            .ttl = 0,
            .indexing = IndexingDirective::kDefault,
            .stamp = 0,
            .origin = static_cast<std::uint16_t>(identity_.storage_id)};
}

Result<StoredItem> ItemWriter::attachment_record(const StoredItem& owner,
                                                 const model::AttachmentRid& rid,
                                                 const ItemHeader& header,
                                                 std::string_view id,
                                                 const json::Value& properties) const {
    std::string record;
    append_item_head(record,
                     header,
                     {.epk = owner.epk(),
                      .partition_key = owner.partition_key(),
                      .id = id,
                      .unique_digests = {}});
    append_attachment_json(record, identity_, rid, header, properties);
    return StoredItem::decode(owner.docnum(), std::move(record));
}

ItemWriter::SizeChange ItemWriter::store_directory(Docnum docnum,
                                                   const AttachmentDirectory& before,
                                                   const AttachmentDirectory& after) {
    if (before.lsn == 0) {
        ++state_.attachment_owners;
    } else {
        batch_.remove(attachment_log_key(before.lsn, docnum));
    }
    batch_.put(attachments_key(docnum), after.encode());
    batch_.put(attachment_log_key(after.lsn, docnum), {});
    const SizeChange change{.before = before.bytes(), .after = after.bytes()};
    state_.attachment_bytes = state_.attachment_bytes - change.before + change.after;
    return change;
}

void ItemWriter::erase_attachment(Docnum docnum, const AttachmentEntry& entry) {
    batch_.remove(attachment_key(docnum, entry.number));
    if (entry.media_bytes) batch_.remove(media_key(docnum, entry.number));
}

Status ItemWriter::erase_attachments(const StoredItem& owner) {
    const Docnum docnum = owner.docnum();
    const AttachmentDirectory directory = TRY(attachments_of(docnum));
    if (directory.lsn == 0) return {};
    for (const AttachmentEntry& entry : directory.entries)
        erase_attachment(docnum, entry);
    batch_.remove(attachments_key(docnum));
    batch_.remove(attachment_log_key(directory.lsn, docnum));
    --state_.attachment_owners;
    const std::uint64_t bytes = directory.bytes();
    state_.attachment_bytes -= bytes;
    return resize(owner.epk(), docnum, {.before = bytes, .after = 0});
}

Status ItemWriter::import_attachment(Docnum docnum,
                                     std::uint32_t number,
                                     std::string_view record,
                                     const std::optional<std::string>& media) {
    if (!TRY(load(docnum))) return {};  // deleted with its partition key
    batch_.put(attachment_key(docnum, number), record);
    if (media) batch_.put(media_key(docnum, number), *media);
    return {};
}

Status ItemWriter::import_attachments(Docnum docnum, const AttachmentDirectory& directory) {
    const std::optional<StoredItem> owner = TRY(load(docnum));
    if (!owner) return {};
    const AttachmentDirectory before = TRY(attachments_of(docnum));
    for (const AttachmentEntry& entry : before.entries) {
        const AttachmentEntry* now =
            directory.find({.id = {}, .number = entry.number, .with_media = false});
        if (now == nullptr) {
            erase_attachment(docnum, entry);
        } else if (entry.media_bytes && !now->media_bytes) {
            batch_.remove(media_key(docnum, entry.number));
        }
    }
    state_.lsn = std::max(state_.lsn, directory.lsn);
    return resize(owner->epk(), docnum, store_directory(docnum, before, directory));
}

}  // namespace orrery::partition
