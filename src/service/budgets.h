// The budgets of request units: one for each physical partition, with an equal share of its
// container's throughput. Containers that share the throughput of their database share its budgets:
// there are as many as a container with that throughput has partitions.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "catalog/catalog.h"
#include "throughput/budget.h"

namespace orrery::service {

class Budgets {
public:
    struct Options {
        bool throttle = true;  // otherwise requests are only counted
        bool burst = false;
    };

    Budgets(const catalog::Catalog& catalog, const Options& options)
        : catalog_(catalog), options_(options) {}

    std::shared_ptr<throughput::Budget> of(const catalog::Container& container,
                                           const catalog::PartitionRange& range);

    // After a change of an offer or of the ranges of a container, or a removal.
    void refresh();

    // What the partitions of a container, or those that share a database's throughput, use
    // together. `resource_rid` is that of the offer.
    struct Usage {
        double rate = 0;
        double busiest_second = 0;  // of the busiest partition, as if all were as busy
        double last_second = 0;
    };
    Usage usage_of(const std::string& resource_rid) const;

    bool throttles() const { return options_.throttle; }

private:
    // The offer's resource, and the id of the range or the number of the shared budget.
    using Key = std::pair<std::string, std::uint32_t>;

    // The offer that pays for the container; null if there is none.
    catalog::OfferPtr offer_of(const catalog::Container& container) const;
    // How many budgets an offer is divided into. 0 if its resource is gone.
    std::size_t parts_of(const catalog::Offer& offer) const;
    // Whether one of these budgets, by its number, is still in use.
    bool has_part(const catalog::Offer& offer, std::uint32_t number) const;
    throughput::Budget::Settings settings_of(const catalog::Offer& offer) const;

    const catalog::Catalog& catalog_;
    const Options options_;
    mutable std::mutex mutex_;
    std::map<Key, std::shared_ptr<throughput::Budget>> budgets_;
};

}  // namespace orrery::service
