#include "partition/attachments.h"

namespace orrery::partition {

Result<std::optional<Attachments>> Attachments::open(const Partition& partition,
                                                     const ItemRef& owner,
                                                     std::optional<std::int32_t> default_ttl) {
    const std::optional<StoredItem> item = TRY(partition.read(owner, default_ttl));
    if (!item) return std::optional<Attachments>();
    Attachments out;
    out.reader_ = partition.view().reader;
    out.owner_ = item->docnum();
    out.partition_key_ = item->partition_key();
    std::string bytes;
    if (TRY(out.reader_->get(attachments_key(out.owner_), bytes))) {
        out.directory_ = TRY(AttachmentDirectory::decode(bytes));
    } else if (!TRY(out.reader_->get(item_key(out.owner_), bytes))) {
        return std::optional<Attachments>();  // removed in between
    }
    return std::optional(std::move(out));
}

Result<StoredItem> Attachments::read(const AttachmentEntry& entry) const {
    std::string record;
    if (!TRY(reader_->get(attachment_key(owner_, entry.number), record))) {
        return Error(ErrorCode::kCorrupted, "an attachment is missing");
    }
    return StoredItem::decode(owner_, std::move(record));
}

Result<std::string> Attachments::media(const AttachmentEntry& entry) const {
    std::string bytes;
    if (!TRY(reader_->get(media_key(owner_, entry.number), bytes))) {
        return Error(ErrorCode::kCorrupted, "the media of an attachment is missing");
    }
    return bytes;
}

}  // namespace orrery::partition
