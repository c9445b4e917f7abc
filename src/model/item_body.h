// An item as a client sends it, validated and parsed once: the text to store and the few values
// that the database itself needs from it. No tree is built, except to drop duplicate names.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/capture.h"
#include "model/container_definition.h"
#include "model/partition_key.h"

namespace orrery::model {

// The paths to look for in the items of a container; compiled once from its definition.
class ItemPaths {
public:
    explicit ItemPaths(const ContainerDefinition& definition);

private:
    friend class ItemReader;

    json::PathSet paths_;
    std::size_t id_;
    std::size_t ttl_;
    std::vector<std::size_t> system_;  // by SystemProperty, then those that are only dropped
    std::vector<std::size_t> partition_key_;
    std::vector<std::vector<std::size_t>> unique_keys_;  // paths of each key
    bool system_key_;
};

// Bytes of the digest over the values of a unique key. On disk.
inline constexpr std::size_t kUniqueDigestBytes = 16;

// The properties that the server sets, in the order in which it appends them.
enum class SystemProperty : std::uint8_t { kRid, kSelf, kEtag, kAttachments, kTimestamp };
inline constexpr std::size_t kSystemProperties = 5;
std::string_view name_of(SystemProperty property);

struct ItemBody {
    // Without insignificant whitespace, without system properties and without the closing brace:
    // `{"id":"1","a":2`. Everything else is as the client wrote it, digit for digit.
    std::string open_json;
    // Positions of system properties in the client's text, which they keep: before the member at
    // this offset of open_json, or at its end. Ascending.
    struct SystemPlace {
        SystemProperty property;
        std::size_t offset;
    };
    std::vector<SystemPlace> system_places;
    json::NumberForm numbers = json::NumberForm::kUnknown;  // in open_json
    std::string id;
    PartitionKeyValue partition_key;
    std::int32_t ttl = 0;  // -1 or seconds; 0 when the item has none
    // One digest per unique key, over the partition key and the values: equal digests mean equal
    // values.
    std::vector<std::string> unique_digests;
};

// _rid, _self and the like, of which clients' values are dropped.
bool is_system_property(std::string_view name);

// kBadRequest for anything that is not a valid item, kTooLarge above the size limit.
Result<ItemBody> parse_item_body(std::string_view text, const ItemPaths& paths);

}  // namespace orrery::model
