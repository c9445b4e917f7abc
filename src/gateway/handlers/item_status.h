// Status and charge of an item operation, alone or in a batch.

#pragma once

#include <string_view>

#include "gateway/call.h"
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

inline bool is_read(service::ItemAnswer::Kind kind) {
    return kind == service::ItemAnswer::Kind::kRead ||
           kind == service::ItemAnswer::Kind::kNotModified;
}

inline std::string_view charge_of(service::ItemAnswer::Kind kind) {
    return is_read(kind) ? kReadCharge : kWriteCharge;
}

}  // namespace orrery::gateway::handlers
