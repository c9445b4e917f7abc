#include "partition/key_deletes.h"

#include "base/bytes.h"

namespace orrery::partition {

std::string KeyDelete::encode() const {
    std::string out;
    append_big_endian(out, static_cast<std::uint64_t>(lsn));
    append_big_endian(out, until);
    out.append(epk);
    return out;
}

Result<KeyDelete> KeyDelete::decode(std::string_view value) {
    ByteReader reader(value);
    KeyDelete out;
    out.lsn = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
    out.until = reader.big_endian<std::uint64_t>();
    out.epk = reader.rest();
    if (!reader.ok() || !lsn_is_possible(out.lsn)) {
        return Error(ErrorCode::kCorrupted, "the delete of a partition key is damaged");
    }
    return out;
}

Result<KeyDeletesPtr> KeyDeletes::load(const storage::Reader& store) {
    Map found;
    const auto cursor = store.scan(all_of('G'), storage::Direction::kForward);
    for (; cursor->valid(); cursor->next()) {
        found.emplace(cursor->key().substr(1), TRY(KeyDelete::decode(cursor->value())));
    }
    TRY(cursor->status());
    if (found.empty()) return KeyDeletesPtr();
    return KeyDeletesPtr(std::make_shared<const KeyDeletes>(std::move(found)));
}

KeyDeletesPtr KeyDeletes::with(const KeyDeletesPtr& others, std::string_view key, KeyDelete added) {
    Map all = others ? others->deletes_ : Map();
    all.insert_or_assign(std::string(key), std::move(added));
    return std::make_shared<const KeyDeletes>(std::move(all));
}

KeyDeletesPtr KeyDeletes::without(const KeyDeletesPtr& others, std::string_view key) {
    Map all = others ? others->deletes_ : Map();
    if (const auto found = all.find(key); found != all.end()) all.erase(found);
    return all.empty() ? nullptr : std::make_shared<const KeyDeletes>(std::move(all));
}

const KeyDelete* KeyDeletes::find(std::string_view key) const {
    const auto found = deletes_.find(key);
    return found == deletes_.end() ? nullptr : &found->second;
}

bool KeyDeletes::hides(std::string_view key, const ItemHeader& header) const {
    const KeyDelete* under_way = find(key);
    return under_way != nullptr && header.lsn <= under_way->lsn;
}

}  // namespace orrery::partition
