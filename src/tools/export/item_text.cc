#include "tools/export/item_text.h"

#include "json/stored_text.h"
#include "json/walk.h"
#include "model/item_body.h"

namespace orrery::tools {

namespace {

constexpr std::string_view kLsn = R"("_lsn")";

bool is_kept(std::string_view quoted, KeptProperties properties) {
    if (properties == KeptProperties::kWithSystem) return quoted != kLsn;
    return !model::is_system_property(quoted.substr(1, quoted.size() - 2));
}

// The first property that may be one of the server's and is not the first of an object.
std::size_t first_system_property(std::string_view item) {
    constexpr std::string_view kBefore = ",\"";
    std::size_t at = item.find('_');
    while (at != std::string_view::npos) {
        if (item.substr(0, at).ends_with(kBefore)) return at - kBefore.size();
        at = item.find('_', at + 1);
    }
    return at;
}

// Whether the end of an item consists of the server's properties. They are not part of an inner
// object: the brace at the end of the item closes the object that they are in.
bool is_all_system(std::string_view end) {
    json::StoredText text(end);
    while (text.take(',')) {
        const std::string_view name = text.string();
        if (!text.expect(':') || is_kept(name, KeptProperties::kOwn)) return false;
        text.value();
    }
    return text.take('}') && text.at_end();
}

// Most items have the server's properties at their end, where it appends them. Then copying the
// rest suffices.
bool append_own_start(std::string& out, std::string_view item) {
    if (item.starts_with("{\"_")) return false;
    const std::size_t size = first_system_property(item);
    if (size == std::string_view::npos || !is_all_system(item.substr(size))) return false;
    out.append(item.substr(0, size)).append("}");
    return true;
}

}  // namespace

void append_item(std::string& out, std::string_view item, KeptProperties properties) {
    if (properties == KeptProperties::kAll || !item.starts_with('{')) {
        out.append(item);
        return;
    }
    if (properties == KeptProperties::kOwn && append_own_start(out, item)) return;
    out += '{';
    const std::size_t start = out.size();
    json::Walk members(item);
    while (const auto member = members.next()) {
        if (!is_kept(member->name, properties)) continue;
        if (out.size() > start) out += ',';
        out.append(member->name).append(":").append(member->value);
    }
    out += '}';
}

Result<bool> ItemText::append(std::string& out, std::string_view item) const {
    if (columns == nullptr) {
        append_item(out, item, properties);
        return true;
    }
    std::string kept;
    append_item(kept, item, properties);
    return columns->append_row(out, kept, delimiter);
}

}  // namespace orrery::tools
