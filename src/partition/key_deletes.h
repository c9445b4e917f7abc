// Deletes of whole partition keys. Such a delete is one small entry, in force as soon as it is
// committed: it hides every version up to its LSN. The items are removed later, step by step, and
// then the entry goes. A restart in between only means that the steps go on.

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
    Lsn lsn = 0;       // versions up to this one are gone
    Docnum until = 0;  // items from this number on came later
    std::string epk;

    // On disk (docs/storage-format.md).
    std::string encode() const;
    static Result<KeyDelete> decode(std::string_view value);
};

class KeyDeletes;
// Null pointer when there are none, as nearly always.
using KeyDeletesPtr = std::shared_ptr<const KeyDeletes>;

// Those under way, by partition key (encoded). Never changed, only replaced.
class KeyDeletes {
public:
    using Map = std::map<std::string, KeyDelete, std::less<>>;

    explicit KeyDeletes(Map deletes) : deletes_(std::move(deletes)) {}

    static Result<KeyDeletesPtr> load(const storage::Reader& store);
    static KeyDeletesPtr with(const KeyDeletesPtr& others, std::string_view key, KeyDelete added);
    static KeyDeletesPtr without(const KeyDeletesPtr& others, std::string_view key);

    const Map& all() const { return deletes_; }
    // Null pointer when the key is not being deleted.
    const KeyDelete* find(std::string_view key) const;
    bool hides(std::string_view key, const ItemHeader& header) const;

private:
    Map deletes_;
};

// What is in the store and not to be seen, at one moment.
struct Hidden {
    Expiry expiry;
    KeyDeletesPtr deletes;

    bool hides(std::string_view key, const ItemHeader& header) const {
        return expiry.expired(header) || (deletes && deletes->hides(key, header));
    }
};

}  // namespace orrery::partition
