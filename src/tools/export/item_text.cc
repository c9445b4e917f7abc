#include "tools/export/item_text.h"

#include "json/walk.h"
#include "model/item_body.h"

namespace orrery::tools {

namespace {

constexpr std::string_view kLsn = R"("_lsn")";

bool is_kept(std::string_view quoted, KeptProperties properties) {
    if (properties == KeptProperties::kWithSystem) return quoted != kLsn;
    return !model::is_system_property(quoted.substr(1, quoted.size() - 2));
}

}  // namespace

void append_item(std::string& out, std::string_view item, KeptProperties properties) {
    if (properties == KeptProperties::kAll || !item.starts_with('{')) {
        out.append(item);
        return;
    }
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
