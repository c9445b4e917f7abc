#include "service/errors.h"

namespace orrery::service {

Error not_found() {
    return Error(ErrorCode::kNotFound,
                 "Resource Not Found. Learn more: https://aka.ms/cosmosdb-tsg-not-found");
}

Error item_not_found() {
    return Error(ErrorCode::kNotFound,
                 "Entity with the specified id does not exist in the system. More info: "
                 "https://aka.ms/cosmosdb-tsg-not-found");
}

Error owner_not_found() {
    constexpr std::uint32_t kOwnerResourceNotFound = 1003;
    return Error(ErrorCode::kNotFound, "Owner resource does not exist", kOwnerResourceNotFound);
}

Error cross_partition_disabled() {
    return bad_request(
        "Cross partition query is required but disabled. Please set "
        "x-ms-documentdb-query-enablecrosspartition to true, specify x-ms-documentdb-partitionkey, "
        "or revise your query to avoid this exception.");
}

Error throttled(const throughput::Budget::Refusal& refusal) {
    constexpr std::uint32_t kRequestRateTooLarge = 3200;
    constexpr std::uint32_t kBucketExhausted = 3212;
    return Error(
               ErrorCode::kThrottled,
               "Request rate is large. More Request Units may be needed, so no changes were made. "
               "Please retry this request later. Learn more: "
               "http://aka.ms/cosmosdb-error-429",
               refusal.of_bucket ? kBucketExhausted : kRequestRateTooLarge)
        .with_retry_after(refusal.retry_after);
}

Error bad_request(std::string message, std::uint32_t sub_status) {
    return Error(ErrorCode::kBadRequest, std::move(message), sub_status);
}

Error not_implemented(const std::string& feature) {
    return Error(ErrorCode::kNotImplemented, feature + " is not supported by this server.");
}

}  // namespace orrery::service
