// Single items of a container: found, written and deleted by their id and partition key.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "tools/shell/session.h"

namespace orrery::tools {

// An item as commands name it: `ID`, `ID KEY`, where an id with blanks or quotes is written as
// JSON, and the key always is.
struct ItemName {
    std::string id;
    std::optional<std::string> partition_key;  // as in requests: ["a"]
};
Result<ItemName> parse_item_name(std::string_view text);

class Items {
public:
    Items(client::Client& client, const Container& container)
        : client_(client), container_(container) {}

    // All items with this name, as minified JSON. Without a key there may be several.
    Result<std::vector<std::string>> find(const ItemName& name);

    struct Written {
        std::string id;
        bool created = false;  // rather than replaced
    };
    Result<Written> put(const std::string& json);

    // kConflict if it is not clear which item is meant.
    Status remove(const ItemName& name);

    // Request units so far.
    double charge() const { return charge_; }

private:
    client::Request item_request(std::string method, const std::string& id, const std::string& key);
    // The key, if it follows from the id.
    std::optional<std::string> key_of(const ItemName& name) const;

    client::Client& client_;
    const Container& container_;
    double charge_ = 0;
};

}  // namespace orrery::tools
