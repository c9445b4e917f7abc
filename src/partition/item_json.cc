#include "partition/item_json.h"

#include <algorithm>
#include <array>

#include "model/etag.h"
#include "model/resource_id.h"

namespace orrery::partition {

namespace {

using model::SystemProperty;

void append_item_link(std::string& out,
                      const model::ContainerRid& container,
                      std::string_view rid) {
    out.append("dbs/");
    model::DatabaseRid{container.database}.append_text(out);
    out.append("/colls/");
    container.append_text(out);
    out.append("/docs/").append(rid).append("/");
}

// As a JSON string. The etag's own quotes are part of its value.
void append_etag_text(std::string& out, std::string_view etag) {
    out.append(R"("\")").append(etag, 1, etag.size() - 2).append(R"(\"")");
}

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
                out += '"';
                append_item_link(out, identity_.container, rid_);
                out += '"';
                break;
            case SystemProperty::kEtag:
                append_etag_text(out, item_etag(identity_, header_));
                break;
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

void append_attachment_json(std::string& out,
                            const Identity& identity,
                            const model::AttachmentRid& rid,
                            const ItemHeader& header,
                            const json::Value& properties) {
    properties.append_text(out);
    out.back() = ',';
    const std::string text = rid.text();
    out.append(R"("_rid":")").append(text).append(R"(","_self":")");
    append_item_link(out, rid.item.container, rid.item.text());
    out.append("attachments/").append(text).append(R"(/","_etag":)");
    append_etag_text(out, item_etag(identity, header));
    out.append(R"(,"_ts":)").append(std::to_string(header.timestamp)).append("}");
}

}  // namespace orrery::partition
