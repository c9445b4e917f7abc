// EXPLAIN: how a server runs a query, as far as it tells.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "tools/shell/queries.h"
#include "tools/shell/session.h"

namespace orrery::tools {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

// An object with what the server says. `text` begins with EXPLAIN. Servers without it run the query
// for one page instead, and report what they measure; kNotImplemented if they do not do that
// either.
Result<json::Value> explain(client::Client& client,
                            const Container& container,
                            const std::string& text,
                            QueryCost& cost);

// {"itemsRead":{"fromIndex":3}} → "items read from index", "3". What is empty is left out.
NamedValues flattened(const json::Value& value);

}  // namespace orrery::tools
