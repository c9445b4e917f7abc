#include "service/budgets.h"

#include <algorithm>

#include "base/stopwatch.h"
#include "model/throughput.h"

namespace orrery::service {

using throughput::Budget;

catalog::OfferPtr Budgets::offer_of(const catalog::Container& container) const {
    if (auto own = catalog_.find_offer_of(container.rid.text())) return own;
    return catalog_.find_offer_of(model::DatabaseRid{container.rid.database}.text());
}

std::size_t Budgets::parts_of(const catalog::Offer& offer) const {
    if (const auto rid = model::ContainerRid::parse(offer.resource_rid)) {
        const auto container = catalog_.find_container(*rid);
        return container ? container->ranges.size() : 0;
    }
    return model::shared_partition_count_for(offer.throughput);
}

bool Budgets::has_part(const catalog::Offer& offer, std::uint32_t number) const {
    const auto rid = model::ContainerRid::parse(offer.resource_rid);
    if (!rid) return number < model::shared_partition_count_for(offer.throughput);
    const auto container = catalog_.find_container(*rid);
    return container && std::any_of(container->ranges.begin(),
                                    container->ranges.end(),
                                    [&](const auto& range) { return range.id == number; });
}

Budget::Settings Budgets::settings_of(const catalog::Offer& offer) const {
    Budget::Settings settings;
    const std::size_t parts = parts_of(offer);
    if (!options_.throttle || parts == 0) return settings;
    settings.rate.units_per_second =
        static_cast<double>(offer.throughput.request_units) / static_cast<double>(parts);
    settings.rate.burst = options_.burst;
    for (const model::ThroughputBucket& bucket : offer.throughput.buckets) {
        settings.buckets.push_back(
            {.id = bucket.id, .percent = bucket.percent, .is_default = bucket.is_default});
    }
    return settings;
}

std::shared_ptr<Budget> Budgets::of(const catalog::Container& container,
                                    const catalog::PartitionRange& range) {
    const catalog::OfferPtr offer = offer_of(container);
    if (!offer) return std::make_shared<Budget>(Budget::Settings{}, monotonic_now());
    const bool shared = offer->resource_rid != container.rid.text();
    const auto number = shared ? static_cast<std::uint32_t>(range.id % parts_of(*offer)) : range.id;
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Budget>& budget = budgets_[{offer->resource_rid, number}];
    if (!budget) budget = std::make_shared<Budget>(settings_of(*offer), monotonic_now());
    return budget;
}

void Budgets::refresh() {
    const std::lock_guard lock(mutex_);
    const auto now = monotonic_now();
    for (auto entry = budgets_.begin(); entry != budgets_.end();) {
        const catalog::OfferPtr offer = catalog_.find_offer_of(entry->first.first);
        if (offer && has_part(*offer, entry->first.second)) {
            entry->second->configure(settings_of(*offer), now);
            ++entry;
        } else {
            entry = budgets_.erase(entry);
        }
    }
}

Budgets::Usage Budgets::usage_of(const std::string& resource_rid) const {
    const std::lock_guard lock(mutex_);
    const auto now = monotonic_now();
    Usage out;
    std::size_t parts = 0;
    for (auto entry = budgets_.lower_bound({resource_rid, 0});
         entry != budgets_.end() && entry->first.first == resource_rid;
         ++entry) {
        const throughput::Account::Usage usage = entry->second->usage(now);
        out.rate += usage.rate;
        out.last_second += usage.last_second;
        out.busiest_second = std::max(out.busiest_second, usage.busiest_second);
        ++parts;
    }
    out.busiest_second *= static_cast<double>(parts);
    return out;
}

}  // namespace orrery::service
