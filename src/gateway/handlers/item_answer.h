// Answers of operations on items and on their attachments.

#pragma once

#include "gateway/backend.h"
#include "gateway/call.h"
#include "service/items.h"

namespace orrery::gateway::handlers {

// The item in the path, by name or rid as its container is.
service::ItemAddress item_address(const Call& call, const service::FoundContainer& found);

http::Response item_response(const Call& call,
                             const service::FoundContainer& found,
                             Result<service::ItemAnswer> answer);

// Answers when a write has ended, or runs it again. Writes complete on the partition's executor:
// the response is built elsewhere to free it for the next batch.
service::ItemCallback answer_item_later(const Backend& backend,
                                        const CallPtr& call,
                                        service::FoundContainer found);

}  // namespace orrery::gateway::handlers
