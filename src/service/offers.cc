#include "service/offers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/limits.h"
#include "service/errors.h"
#include "service/offer_change.h"
#include "service/resource_json.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

using model::limits::kPartitionThroughputMax;

std::uint64_t kilobytes(std::uint64_t bytes) {
    constexpr std::uint64_t kKilobyte = 1024;
    return (bytes + kKilobyte - 1) / kKilobyte;
}

Error another_replace_pending() {
    constexpr std::uint32_t kAnotherOfferReplacePending = 3205;
    return bad_request("Another offer replace operation is in progress; retry later.",
                       kAnotherOfferReplacePending);
}

}  // namespace

Result<OfferAnswer> Offers::read(const Context& context, std::string_view rid) const {
    const catalog::OfferPtr offer = TRY(find(rid));
    const Subject subject = TRY(subject_of(*offer));
    return answer_of(*offer,
                     subject,
                     read_answer(context.request,
                                 body_of(*offer, kilobytes(subject.history.stored_bytes)),
                                 offer->revision.etag()));
}

Result<OfferAnswer> Offers::replace(Context& context, std::string_view rid, std::string_view body) {
    const json::Value value = TRY(parse_object(body));
    const std::lock_guard replacing(replacing_);
    const catalog::OfferPtr old = TRY(find(rid));
    const Subject subject = TRY(subject_of(*old));
    const std::uint64_t stored_kb = kilobytes(subject.history.stored_bytes);
    model::Throughput wanted =
        TRY(wanted_throughput(context.request, *old, subject.history, value));
    if (options_.is_growing(*old)) return another_replace_pending();
    const catalog::OfferPtr offer = TRY(catalog_.replace_offer(
        old->rid, std::move(wanted), stored_kb, if_match_of(context.request)));
    options_.on_replacement(*offer);
    context.receipt.charge = throughput::kResourceCharge;
    // The minimum in the answer takes the new throughput into account.
    Subject changed = subject;
    changed.history.highest_units = offer->highest_units;
    return answer_of(
        *offer, changed, {.body = body_of(*offer, stored_kb), .etag = offer->revision.etag()});
}

Result<Page> Offers::list(Context& context, const QueryText* query) const {
    std::vector<Listed> all;
    for (const catalog::OfferPtr& offer : catalog_.offers()) {
        // A query looks at every offer; opening the partitions of every container would take too
        // long, so what is stored now is left out.
        all.push_back({offer->rid.number, [this, offer] { return body_of(*offer, 0); }});
    }
    return feed_.page(context, all, query, "offers");
}

Result<catalog::OfferPtr> Offers::find(std::string_view rid) const {
    const auto parsed = model::OfferRid::parse(rid);
    catalog::OfferPtr offer = parsed ? catalog_.find_offer(*parsed) : nullptr;
    if (!offer) return not_found();
    return offer;
}

Result<Offers::Subject> Offers::subject_of(const catalog::Offer& offer) const {
    Subject subject;
    subject.history.highest_units = offer.highest_units;
    if (const auto rid = model::ContainerRid::parse(offer.resource_rid)) {
        const catalog::ContainerPtr container = catalog_.find_container(*rid);
        if (!container) return not_found();
        subject.history.stored_bytes = TRY(options_.stored_bytes(*container));
        subject.history.has_partition_key = !container->definition.partition_key.system_key;
        subject.partitions = static_cast<std::int64_t>(container->ranges.size());
        return subject;
    }
    const auto rid = model::DatabaseRid::parse(offer.resource_rid);
    if (!rid) return not_found();
    const auto sharing = catalog_.containers_without_offer(*rid);
    subject.history.sharing_containers = sharing.size();
    for (const catalog::ContainerPtr& container : sharing) {
        // Every container has partitions of its own, which must suffice for all the throughput.
        const auto count = static_cast<std::int64_t>(container->ranges.size());
        subject.partitions = subject.partitions == 0 ? count : std::min(subject.partitions, count);
        subject.history.stored_bytes += TRY(options_.stored_bytes(*container));
    }
    return subject;
}

OfferAnswer Offers::answer_of(const catalog::Offer& offer,
                              const Subject& subject,
                              ResourceAnswer resource) const {
    const model::ThroughputBounds bounds =
        bounds_of(model::mode_of(offer.throughput), subject.history);
    // Without containers: what the first one would get.
    const std::int64_t partitions = subject.partitions > 0
                                        ? subject.partitions
                                        : model::shared_partition_count_for(offer.throughput);
    return {.resource = std::move(resource),
            .units_min = bounds.min,
            .units_max = bounds.max,
            .instant_units_max = partitions * kPartitionThroughputMax,
            .replace_pending = options_.is_growing(offer)};
}

std::int64_t Offers::scaled_units(const catalog::Offer& offer) const {
    const std::int64_t max = offer.throughput.request_units;
    if (!offer.throughput.autoscale) return max;
    const auto recent = static_cast<std::int64_t>(std::ceil(options_.recent_units(offer)));
    return std::clamp(recent, max / 10, max);
}

json::Value Offers::body_of(const catalog::Offer& offer, std::uint64_t stored_kb) const {
    return to_json(offer,
                   {.units = scaled_units(offer),
                    .highest_storage_kb = std::max(offer.highest_storage_kb, stored_kb)});
}

}  // namespace orrery::service
