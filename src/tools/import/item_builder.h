// Makes the items to send out of records: maps their properties, gives ids to those without, and
// finds out what the server would refuse.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/path.h"
#include "json/value.h"
#include "model/container_definition.h"
#include "model/item_body.h"

namespace orrery::tools {

struct ItemRules {
    json::Path id_from = {};                // the property that becomes the id; empty: id itself
    std::vector<json::Path> key_from = {};  // copied to the partition key's paths; empty: nothing
    bool generate_ids = false;              // for items without one
};

struct Item {
    std::string id;
    std::string json;           // minified, without system properties
    std::string partition_key;  // as in the request header
    std::string epk;            // where it belongs in the hash space

    std::size_t bytes() const {
        return id.size() + json.size() + partition_key.size() + epk.size() + sizeof(Item);
    }
};

// Where a record comes from. A generated id depends on it and on the text alone, so that a second
// run generates the same.
struct Origin {
    std::string_view source;
    std::uint64_t record = 0;  // its number within the source
};

class ItemBuilder {
public:
    ItemBuilder(const model::ContainerDefinition& definition, ItemRules rules);

    // An error with the reason if the text is not an item.
    Result<Item> build(const std::string& text, bool mongo, const Origin& origin) const;

    model::HashKind hash() const { return definition_.partition_key.kind; }

private:
    Result<std::string> mapped(const std::string& text, bool mongo, const Origin& origin) const;
    Status map_id(json::Value& item, const std::string& text, const Origin& origin) const;
    Status map_key(json::Value& item) const;

    const model::ContainerDefinition definition_;
    const ItemRules rules_;
    const model::ItemPaths paths_;
};

// A property as users name it: /a/b as partition keys do, or the name alone.
Result<json::Path> parse_property(const std::string& text);

}  // namespace orrery::tools
