// Reads the attachments of one item, from one state of its partition. Used by one thread.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "partition/attachment_directory.h"
#include "partition/item_record.h"
#include "partition/partition.h"

namespace orrery::partition {

class Attachments {
public:
    // Nothing if there is no such item, or it is hidden. May block.
    static Result<std::optional<Attachments>> open(const Partition& partition,
                                                   const ItemRef& owner,
                                                   std::optional<std::int32_t> default_ttl);

    Docnum owner() const { return owner_; }
    const std::string& partition_key() const { return partition_key_; }  // encoded
    const AttachmentDirectory& directory() const { return directory_; }

    // Of an entry of the directory.
    Result<StoredItem> read(const AttachmentEntry& entry) const;
    Result<std::string> media(const AttachmentEntry& entry) const;

private:
    std::shared_ptr<const storage::Reader> reader_;
    Docnum owner_ = 0;
    std::string partition_key_;
    AttachmentDirectory directory_;
};

}  // namespace orrery::partition
