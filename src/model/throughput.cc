#include "model/throughput.h"

#include <charconv>
#include <string>

#include "json/value.h"
#include "model/limits.h"

namespace orrery::model {

namespace {

Error bad_throughput(std::int64_t minimum, std::int64_t step) {
    return Error(ErrorCode::kBadRequest,
                 "The offer throughput is not valid: it must be between " +
                     std::to_string(minimum) + " and " + std::to_string(limits::kThroughputMax) +
                     " request units per second, in steps of " + std::to_string(step) + ".");
}

Result<std::optional<Throughput>> checked(std::int64_t units, bool autoscale) {
    const std::int64_t minimum =
        autoscale ? limits::kAutoscaleThroughputMin : limits::kThroughputMin;
    const std::int64_t step =
        autoscale ? limits::kAutoscaleThroughputStep : limits::kThroughputStep;
    if (units < minimum || units > limits::kThroughputMax || units % step != 0) {
        return bad_throughput(minimum, step);
    }
    return std::optional(Throughput{.request_units = units, .autoscale = autoscale});
}

}  // namespace

Result<std::optional<Throughput>> parse_throughput(std::optional<std::string_view> manual,
                                                   std::optional<std::string_view> autopilot) {
    if (manual && autopilot) {
        return Error(ErrorCode::kBadRequest,
                     "Manual and autoscale throughput cannot be given together.");
    }
    if (manual) {
        std::int64_t units = 0;
        const auto [end, error] =
            std::from_chars(manual->data(), manual->data() + manual->size(), units);
        if (error != std::errc() || end != manual->data() + manual->size()) {
            return bad_throughput(limits::kThroughputMin, limits::kThroughputStep);
        }
        return checked(units, false);
    }
    if (autopilot) {
        const json::Value settings = TRY(json::Value::parse(*autopilot));
        const json::Value* maximum = settings.find("maxThroughput");
        if (maximum == nullptr || !maximum->integer()) {
            return bad_throughput(limits::kAutoscaleThroughputMin,
                                  limits::kAutoscaleThroughputStep);
        }
        return checked(*maximum->integer(), true);
    }
    return std::optional<Throughput>();
}

std::uint32_t partition_count_for(std::int64_t request_units) {
    const std::int64_t count =
        (request_units + limits::kPartitionThroughputMax - 1) / limits::kPartitionThroughputMax;
    return count < 1 ? 1 : static_cast<std::uint32_t>(count);
}

}  // namespace orrery::model
