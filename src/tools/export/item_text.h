// How the items of an export become lines of its output.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/export/columns.h"

namespace orrery::tools {

enum class KeptProperties : std::uint8_t {
    kOwn,         // without what the server adds to items: _rid, _ts …
    kWithSystem,  // but not _lsn, which belongs to the change feed
    kAll,         // as the server has sent them
};

// `item` is validated and minified.
void append_item(std::string& out, std::string_view item, KeptProperties properties);

struct ItemText {
    KeptProperties properties = KeptProperties::kOwn;
    const ExportColumns* columns = nullptr;  // of CSV; nothing: JSON
    char delimiter = ',';

    // False if the item has values without a column, which the row lacks.
    Result<bool> append(std::string& out, std::string_view item) const;
};

}  // namespace orrery::tools
