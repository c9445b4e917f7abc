// Status of an item operation, alone or in a batch.

#pragma once

#include "service/item_write.h"

namespace orrery::gateway::handlers {

inline unsigned status_of(service::ItemAnswer::Kind kind) {
    switch (kind) {
        case service::ItemAnswer::Kind::kCreated:
            return 201;
        case service::ItemAnswer::Kind::kRemoved:
            return 204;
        case service::ItemAnswer::Kind::kNotModified:
            return 304;
        default:
            return 200;
    }
}

}  // namespace orrery::gateway::handlers
