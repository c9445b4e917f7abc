// The JSON text of an item: the client's properties and the system properties.

#pragma once

#include <string>

#include "json/value.h"
#include "model/item_body.h"
#include "model/resource_id.h"
#include "partition/identity.h"
#include "partition/item_record.h"

namespace orrery::partition {

// Including its quotes, as in the etag header.
std::string item_etag(const Identity& identity, const ItemHeader& header);

// Which system properties an item is stored with. kFew leaves out _self and _attachments
// (x-ms-exclude-system-properties).
enum class SystemProperties : std::uint8_t { kAll, kFew };

// Appends the whole text. System properties keep the positions they have in the client's body; the
// others follow at the end.
void append_item_json(std::string& out,
                      const Identity& identity,
                      Docnum docnum,
                      const ItemHeader& header,
                      const model::ItemBody& body,
                      SystemProperties stored);

// The same of an attachment: its properties and then the system properties.
void append_attachment_json(std::string& out,
                            const Identity& identity,
                            const model::AttachmentRid& rid,
                            const ItemHeader& header,
                            const json::Value& properties);

}  // namespace orrery::partition
