// Response headers that describe how a query ran.

#pragma once

#include "gateway/call.h"
#include "http/message.h"
#include "service/queries.h"

namespace orrery::gateway::handlers {

void add_query_headers(http::Response& response,
                       const Call& call,
                       const service::QueryAnswer& answer);

}  // namespace orrery::gateway::handlers
