#include "partition/stray_entries.h"

#include <string>

#include "partition/attachment_directory.h"
#include "partition/item_record.h"

namespace orrery::partition {

namespace {

// The item that an entry says it belongs to.
Result<Docnum> owner_of(char letter, std::string_view key, std::string_view value) {
    switch (letter) {
        case 'K':
        case 'U':
            return docnum_of_value(value);
        case 'L':
            return TRY(place_of(key)).docnum;
        case 'T':
        case 'Y':
            return TRY(numbers_of(key)).docnum;
        default:
            return docnum_of_key(key);
    }
}

bool has_unique_key(const StoredItem& item, std::string_view key) {
    for (std::size_t i = 0; i < item.unique_count(); ++i) {
        const auto number = static_cast<std::uint8_t>(i);
        if (unique_key(item.epk(), number, item.unique_digest(i)) == key) return true;
    }
    return false;
}

bool owns(const StoredItem& item, char letter, std::string_view key) {
    const ItemHeader& header = item.header();
    switch (letter) {
        case 'K':
            return id_key(item.epk(), item.id()) == key;
        case 'P':
            return member_key(item.epk(), item.docnum()) == key;
        case 'L':
            return log_key_of(header, item.docnum()) == key;
        case 'T':
            return header.ttl > 0 &&
                   expiry_key(header.timestamp + header.ttl, item.docnum()) == key;
        default:
            return has_unique_key(item, key);
    }
}

Result<bool> is_stray(const storage::Reader& store,
                      char letter,
                      std::string_view key,
                      const Result<Docnum>& docnum) {
    if (!docnum) return true;
    std::string record;
    const bool attached = letter == 'Y';
    const std::string owner = attached ? attachments_key(*docnum) : item_key(*docnum);
    if (!TRY(store.get(owner, record))) return true;
    if (attached) {
        const auto directory = AttachmentDirectory::decode(record);
        return directory && attachment_log_key(directory->lsn, *docnum) != key;
    }
    const auto item = StoredItem::decode(*docnum, std::move(record));
    return item && !owns(*item, letter, key);
}

}  // namespace

Status find_stray_entries(const storage::Reader& store,
                          char letter,
                          const std::function<Status(std::string_view, Docnum)>& found) {
    const auto cursor = store.scan(all_of(letter), storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        const Result<Docnum> docnum = owner_of(letter, cursor->key(), cursor->value());
        if (TRY(is_stray(store, letter, cursor->key(), docnum))) {
            TRY(found(cursor->key(), docnum ? *docnum : 0));
        }
    }
    return cursor->status();
}

}  // namespace orrery::partition
