// Which partition key range an item belongs to. Safe for use from all threads.

#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/client.h"

namespace orrery::tools {

class Routes {
public:
    explicit Routes(client::Path container) : container_(std::move(container)) {}

    // Reads the ranges from the server.
    Status refresh(client::Client& client);

    // Of the item with this EPK.
    std::string range_of(std::string_view epk) const;

private:
    struct Range {
        std::string until;  // exclusive
        std::string id;
    };

    const client::Path container_;
    mutable std::mutex mutex_;
    std::vector<Range> ranges_;  // without gaps, ascending
};

}  // namespace orrery::tools
