#include "partition/item_json.h"

#include "model/etag.h"
#include "model/resource_id.h"

namespace orrery::partition {

std::string item_etag(const Identity& identity, const ItemHeader& header) {
    std::string etag;
    model::EtagParts parts{.lsn = static_cast<std::uint64_t>(header.lsn),
                           .partition = identity.storage_id,
                           .ordinal = header.ordinal,
                           .unix_seconds = header.timestamp,
                           .stamped = false};
    if (header.stamp != 0) {
        parts.lsn = header.stamp;
        parts.ordinal = 0;
        parts.stamped = true;
    }
    model::append_etag(etag, parts);
    return etag;
}

void append_item_json(std::string& out,
                      const Identity& identity,
                      Docnum docnum,
                      const ItemHeader& header,
                      std::string_view open_json) {
    std::string rid;
    const model::ItemRid item{.container = identity.container, .number = docnum};
    item.append_text(rid);
    const std::string etag = item_etag(identity, header);

    out.append(open_json);
    out.append(R"(,"_rid":")").append(rid);
    out.append(R"(","_self":"dbs/)");
    model::DatabaseRid{identity.container.database}.append_text(out);
    out.append("/colls/");
    identity.container.append_text(out);
    out.append("/docs/").append(rid);
    // The etag's own quotes are part of its value.
    out.append(R"(/","_etag":"\")").append(etag, 1, etag.size() - 2);
    out.append(R"(\"","_attachments":"attachments/","_ts":)");
    out.append(std::to_string(header.timestamp));
    out += '}';
}

}  // namespace orrery::partition
