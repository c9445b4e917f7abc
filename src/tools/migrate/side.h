// The two containers of a migration, and what an item of the source becomes in the target.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "client/client.h"
#include "model/container_definition.h"
#include "tools/import/item_builder.h"

namespace orrery::tools {

struct Side {
    client::Account account;
    client::Path container;
    model::ContainerDefinition definition;

    client::Path items() const { return container / "docs"; }
};

struct Sides {
    Side source;
    Side target;
};

// Where an item is in both containers.
struct ItemPlace {
    std::string id;
    std::string source_key;  // partition keys, as in the request header
    std::string target_key;

    auto operator<=>(const ItemPlace&) const = default;
};

class ItemMapper {
public:
    explicit ItemMapper(const Sides& sides)
        : source_(sides.source.definition, ItemRules{}),
          target_(sides.target.definition, ItemRules{}) {}

    // The item for the target; an error with the reason if it cannot be there.
    Result<Item> mapped(std::string_view item) const {
        return target_.build(std::string(item), false, {});
    }
    // The partition key in the source of an item of either container; empty if it cannot be there.
    std::string source_key(std::string_view item) const {
        auto built = source_.build(std::string(item), false, {});
        return built ? std::move(built->partition_key) : std::string();
    }

private:
    const ItemBuilder source_;
    const ItemBuilder target_;
};

// Of partition key and id.
inline Hash128 key_hash(std::string_view partition_key, std::string_view id) {
    std::string text(partition_key);
    text += '\0';
    text += id;
    return murmur3_x64_128(text, 0);
}

}  // namespace orrery::tools
