#include "model/throughput_buckets.h"

#include <algorithm>

namespace orrery::model {

namespace {

constexpr std::int64_t kPercentMax = 100;

Error invalid() {
    return Error(ErrorCode::kBadRequest,
                 "The throughput buckets are not valid: there are at most 5, each with its own id "
                 "from 1 to 5, a maxThroughputPercentage from 1 to 100, and isDefaultBucket for "
                 "one at most.");
}

// A whole number from 1 to `max`, or 0.
std::uint8_t number_in(const json::Value& object, std::string_view name, std::int64_t max) {
    const json::Value* found = object.find(name);
    const auto number = found == nullptr ? std::nullopt : found->integer();
    return number && *number >= 1 && *number <= max ? static_cast<std::uint8_t>(*number) : 0;
}

}  // namespace

Result<std::vector<ThroughputBucket>> parse_throughput_buckets(const json::Value& value) {
    if (!value.is_array()) return invalid();
    std::vector<ThroughputBucket> out;
    for (const json::Value& entry : value.array()) {
        if (!entry.is_object()) return invalid();
        ThroughputBucket bucket{
            .id = number_in(entry, "id", kThroughputBucketsMax),
            .percent = number_in(entry, "maxThroughputPercentage", kPercentMax)};
        if (const json::Value* chosen = entry.find("isDefaultBucket")) {
            if (!chosen->is_bool()) return invalid();
            bucket.is_default = chosen->boolean();
        }
        const bool clashes = std::any_of(out.begin(), out.end(), [&](const auto& other) {
            return other.id == bucket.id || (other.is_default && bucket.is_default);
        });
        if (bucket.id == 0 || bucket.percent == 0 || clashes) return invalid();
        out.push_back(bucket);
    }
    return out;
}

json::Value to_json(const std::vector<ThroughputBucket>& buckets) {
    json::Value::Array out;
    for (const ThroughputBucket& bucket : buckets) {
        json::Value entry(json::Value::Object{});
        entry.set("id", std::int64_t{bucket.id});
        entry.set("maxThroughputPercentage", std::int64_t{bucket.percent});
        if (bucket.is_default) entry.set("isDefaultBucket", true);
        out.push_back(std::move(entry));
    }
    return out;
}

}  // namespace orrery::model
