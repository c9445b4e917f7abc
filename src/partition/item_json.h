// The system properties at the end of an item's JSON text.

#pragma once

#include <string>
#include <string_view>

#include "partition/identity.h"
#include "partition/item_record.h"

namespace orrery::partition {

// Including its quotes, as in the etag header.
std::string item_etag(const Identity& identity, const ItemHeader& header);

// Appends the client's text (`{"id":"1"`, not closed) and the system properties, then closes it.
void append_item_json(std::string& out,
                      const Identity& identity,
                      Docnum docnum,
                      const ItemHeader& header,
                      std::string_view open_json);

}  // namespace orrery::partition
