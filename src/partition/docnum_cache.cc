#include "partition/docnum_cache.h"

#include "base/check.h"

namespace orrery::partition {

DocnumCache::DocnumCache(std::size_t entries)
    : mask_(entries - 1), slots_(std::make_unique<Slot[]>(entries)) {
    CHECK(entries > 0 && (entries & mask_) == 0);
}

std::optional<Docnum> DocnumCache::find(std::uint64_t hash) const {
    const Slot& slot = slots_[hash & mask_];
    if (slot.hash.load(std::memory_order_relaxed) != hash) return std::nullopt;
    const Docnum docnum = slot.docnum.load(std::memory_order_relaxed);
    return docnum == 0 ? std::nullopt : std::optional(docnum);
}

void DocnumCache::remember(std::uint64_t hash, Docnum docnum) {
    Slot& slot = slots_[hash & mask_];
    slot.docnum.store(docnum, std::memory_order_relaxed);
    slot.hash.store(hash, std::memory_order_relaxed);
}

}  // namespace orrery::partition
