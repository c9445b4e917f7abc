#include "base/bytes.h"
#include "sql/exec/driver.h"

namespace orrery::sql {

ScanDriver::ScanDriver(ItemSource& source,
                       const ItemPaths& paths,
                       std::string_view position,
                       Counters& counters)
    : paths_(paths), counters_(counters), values_(paths.size()) {
    ByteReader from(position);
    cursor_ = source.items(position.empty() ? 0 : from.varint());
}

Result<bool> ScanDriver::next() {
    item_ = TRY(cursor_->next());
    if (item_ == nullptr) return false;
    ++counters_.items_read;
    counters_.item_bytes_read += item_->json.size();
    arena_.reset();
    paths_.fetch(item_->json, values_, arena_);
    return true;
}

std::string ScanDriver::position() const {
    std::string out;
    append_varint(out, item_->number);
    return out;
}

}  // namespace orrery::sql
