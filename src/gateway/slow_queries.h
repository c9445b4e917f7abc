// The log of slow queries: one line for each page that takes long, with what it cost and how it was
// run. It contains the text of the query but no values of parameters, which may be personal data.

#pragma once

#include "gateway/backend.h"
#include "gateway/call.h"
#include "service/queries.h"

namespace orrery::gateway {

// Longer texts are cut.
inline constexpr std::size_t kLoggedQueryBytesMax = 1000;

// Call before the page is answered.
void log_if_slow(const Backend& backend,
                 Call& call,
                 const service::FoundContainer& found,
                 const Result<service::QueryAnswer>& result);

// "index lookup on /a/?, /b/?; covered".
std::string plan_summary(const sql::Access& access);

}  // namespace orrery::gateway
