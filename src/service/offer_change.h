// The replacement of an offer: the throughput that a client asks for with PUT /offers/RID.

#pragma once

#include "base/result.h"
#include "catalog/resources.h"
#include "json/value.h"
#include "model/throughput_rules.h"
#include "service/request.h"

namespace orrery::service {

// The throughput the offer gets. `body` is a whole offer, as clients read it. kBadRequest if it is
// another offer, or the throughput cannot be provisioned.
Result<model::Throughput> wanted_throughput(const Request& request,
                                            const catalog::Offer& offer,
                                            const model::ThroughputHistory& history,
                                            const json::Value& body);

}  // namespace orrery::service
