// Finds entries that belong to no item: the other direction of what verify() checks for each item.

#pragma once

#include <functional>
#include <string_view>

#include "base/result.h"
#include "partition/keys.h"
#include "storage/engine.h"

namespace orrery::partition {

// The letters whose entries are made from item records, and those of attachments.
inline constexpr std::string_view kItemLetters = "KPLTUY";

// Calls `found` for every entry of that letter whose item does not exist or has another one
// instead. Entries of an item whose record is damaged are its own: nobody can say otherwise.
Status find_stray_entries(const storage::Reader& store,
                          char letter,
                          const std::function<Status(std::string_view key, Docnum docnum)>& found);

}  // namespace orrery::partition
