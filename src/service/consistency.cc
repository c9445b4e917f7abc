#include "service/consistency.h"

#include <chrono>
#include <string>
#include <thread>

#include "model/session_token.h"
#include "service/errors.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

using model::ConsistencyLevel;

// A commit is on disk just before its LSN is published, so the store may know more. Waits a little
// for writes that are under way.
Result<bool> reaches(const partition::Partition& partition, partition::Lsn lsn) {
    std::string bytes;
    if (TRY(partition.store().get(partition::state_key(), bytes)) &&
        TRY(partition::State::decode(bytes)).lsn >= lsn) {
        return true;
    }
    constexpr int kWaitMilliseconds = 20;
    for (int i = 0; i < kWaitMilliseconds && partition.lsn() < lsn; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return partition.lsn() >= lsn;
}

}  // namespace

Result<ConsistencyLevel> consistency_of(const Request& request) {
    const auto& name = request.consistency_level;
    if (!name) return request.account_consistency;
    const auto level = model::parse_consistency_level(*name);
    if (!level) {
        return bad_request("The consistency level '" + std::string(name->substr(0, 40)) +
                           "' is unknown.");
    }
    if (!model::may_be_requested(*level, request.account_consistency)) {
        return bad_request("ConsistencyLevel " + std::string(model::name_of(*level)) +
                           " specified in the request is invalid when service is configured with "
                           "consistency level " +
                           std::string(model::name_of(request.account_consistency)) +
                           ". Ensure the request consistency level is not stronger than the "
                           "service consistency level.");
    }
    return *level;
}

double read_cost_factor(const Request& request) {
    const auto level = consistency_of(request);
    return level && *level <= ConsistencyLevel::kBoundedStaleness ? throughput::kStrongReadFactor
                                                                  : 1;
}

Status check_session(const Context& context, const partition::Partition& partition) {
    const Request& request = context.request;
    const ConsistencyLevel level = TRY(consistency_of(request));
    if (!request.session_token || request.session_token->empty()) return {};
    const partition::Identity& identity = partition.identity();
    const auto required = TRY(model::required_lsn(*request.session_token,
                                                  {.id = identity.range_id,
                                                   .parents = identity.parents,
                                                   .version = identity.container.number}));
    // Without a level of its own, a request with a token means a session, whatever the account's.
    const bool wanted = level == ConsistencyLevel::kSession || !request.consistency_level;
    if (!required || !wanted || *required <= partition.lsn()) return {};
    if (!context.allowance.may_block) return Error(ErrorCode::kWouldBlock, "the session is ahead");
    if (TRY(reaches(partition, *required))) return {};
    constexpr std::uint32_t kReadSessionNotAvailable = 1002;
    return Error(ErrorCode::kNotFound,
                 "The read session is not available for the input session token.",
                 kReadSessionNotAvailable);
}

}  // namespace orrery::service
