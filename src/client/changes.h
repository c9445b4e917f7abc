// The change feed of a container, page by page: each item in its latest version, in the order of
// changes within its partition. Deleted items are not in it.

#pragma once

#include <optional>
#include <string>

#include "client/client.h"
#include "client/pages.h"

namespace orrery::client {

class Changes {
public:
    // From the beginning. `items` is the feed of items.
    Changes(Client& client, Path items, Selection selection = {});
    // Continues after this position.
    void resume(std::string position) { position_ = std::move(position); }

    // The next page; nothing if there is nothing new for now. After either it can be asked again.
    Result<std::optional<Page>> next();

    // After the last page; empty at the beginning.
    const std::string& position() const { return position_; }

private:
    Client& client_;
    const Path items_;
    const Selection selection_;
    std::string position_;
};

}  // namespace orrery::client
