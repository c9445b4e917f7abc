// Deletes of whole partition keys. A delete is one small entry that takes effect on commit: it
// hides every version up to its LSN. The items are removed in steps afterwards, and then the entry.
// After a restart the steps continue.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "partition/item_record.h"
#include "partition/keys.h"
#include "storage/engine.h"

namespace orrery::partition {

struct KeyDelete {
    Lsn lsn = 0;       // hides versions up to this one
    Docnum until = 0;  // items from this number on are newer
    std::string epk;

    // On disk (docs/storage-format.md).
    std::string encode() const;
    static Result<KeyDelete> decode(std::string_view value);
};

class KeyDeletes;
// Null if there are none, which is usual.
using KeyDeletesPtr = std::shared_ptr<const KeyDeletes>;

// The deletes in force, by encoded partition key. Immutable; replaced on change.
class KeyDeletes {
public:
    using Map = std::map<std::string, KeyDelete, std::less<>>;

    explicit KeyDeletes(Map deletes) : deletes_(std::move(deletes)) {}

    static Result<KeyDeletesPtr> load(const storage::Reader& store);
    static KeyDeletesPtr with(const KeyDeletesPtr& others, std::string_view key, KeyDelete added);
    static KeyDeletesPtr without(const KeyDeletesPtr& others, std::string_view key);

    const Map& all() const { return deletes_; }
    // Null if the key is not being deleted.
    const KeyDelete* find(std::string_view key) const;
    bool hides(std::string_view key, const ItemHeader& header) const;

private:
    Map deletes_;
};

// Which stored items are invisible at one moment.
struct Hidden {
    Expiry expiry;
    KeyDeletesPtr deletes;

    bool hides(std::string_view key, const ItemHeader& header) const {
        return expiry.expired(header) || (deletes && deletes->hides(key, header));
    }
};

}  // namespace orrery::partition
