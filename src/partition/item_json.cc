#include "partition/item_json.h"

#include <algorithm>
#include <array>

#include "model/etag.h"
#include "model/resource_id.h"

namespace orrery::partition {

namespace {

using model::SystemProperty;

// Writes the system properties of one version of an item.
class SystemMembers {
public:
    SystemMembers(const Identity& identity, Docnum docnum, const ItemHeader& header)
        : identity_(identity), header_(header) {
        const model::ItemRid item{.container = identity.container, .number = docnum};
        item.append_text(rid_);
    }

    void append(std::string& out, SystemProperty property) const {
        if (out.back() != '{' && out.back() != ',') out += ',';
        out.append("\"").append(model::name_of(property)).append("\":");
        switch (property) {
            case SystemProperty::kRid:
                out.append("\"").append(rid_).append("\"");
                break;
            case SystemProperty::kSelf:
                out.append("\"dbs/");
                model::DatabaseRid{identity_.container.database}.append_text(out);
                out.append("/colls/");
                identity_.container.append_text(out);
                out.append("/docs/").append(rid_).append("/\"");
                break;
            case SystemProperty::kEtag: {
                // The etag's own quotes are part of its value.
                const std::string etag = item_etag(identity_, header_);
                out.append(R"("\")").append(etag, 1, etag.size() - 2).append(R"(\"")");
                break;
            }
            case SystemProperty::kAttachments:
                out.append(R"("attachments/")");
                break;
            case SystemProperty::kTimestamp:
                out.append(std::to_string(header_.timestamp));
                break;
        }
    }

private:
    const Identity& identity_;
    const ItemHeader& header_;
    std::string rid_;
};

bool is_stored(SystemProperty property, SystemProperties stored) {
    return stored == SystemProperties::kAll ||
           (property != SystemProperty::kSelf && property != SystemProperty::kAttachments);
}

}  // namespace

std::string item_etag(const Identity& identity, const ItemHeader& header) {
    std::string etag;
    model::EtagParts parts{.lsn = static_cast<std::uint64_t>(header.lsn),
                           .partition = header.origin
                                            ? *header.origin
                                            : identity.etag_origin.value_or(identity.storage_id),
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
                      const model::ItemBody& body,
                      SystemProperties stored) {
    const SystemMembers members(identity, docnum, header);
    std::array<bool, model::kSystemProperties> placed{};
    std::size_t from = 0;
    for (const auto& place : body.system_places) {
        if (!is_stored(place.property, stored)) continue;
        const std::size_t offset = std::min(place.offset, body.open_json.size());
        out.append(body.open_json, from, offset - from);
        members.append(out, place.property);
        if (offset < body.open_json.size()) out += ',';
        from = offset;
        placed[static_cast<std::size_t>(place.property)] = true;
    }
    out.append(body.open_json, from);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const auto property = static_cast<SystemProperty>(i);
        if (!placed[i] && is_stored(property, stored)) members.append(out, property);
    }
    out += '}';
}

}  // namespace orrery::partition
