// Request units and data of the partitions that are open, and how partitions change.

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/stopwatch.h"
#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

namespace {

struct OpenPartition {
    std::string database;
    std::string container;
    std::string range;
    std::shared_ptr<partition::Partition> partition;
    throughput::Account::Usage budget;

    bool is_limited() const { return std::isfinite(budget.rate) && budget.rate > 0; }
};

std::vector<OpenPartition> open_partitions(const Sources& sources) {
    std::vector<OpenPartition> out;
    for (const catalog::ContainerPtr& container : sources.catalog.all_containers()) {
        const auto database =
            sources.catalog.find_database(model::DatabaseRid{container->rid.database});
        if (!database) continue;
        for (const catalog::PartitionRange& range : container->ranges) {
            const auto partition = sources.partitions.find(range.partition);
            if (!partition) continue;
            const auto& budget = partition->ledger().budget();
            out.push_back(
                {.database = database->name,
                 .container = container->definition.id,
                 .range = std::to_string(range.id),
                 .partition = partition,
                 .budget = budget ? budget->usage(monotonic_now()) : throughput::Account::Usage{}});
        }
    }
    return out;
}

using ValueOf = std::function<std::optional<double>(const OpenPartition&)>;

void write_each(metrics::Family family,
                const std::vector<OpenPartition>& open,
                const ValueOf& value_of) {
    for (const OpenPartition& one : open) {
        if (const auto value = value_of(one)) {
            family.add(
                {{"database", one.database}, {"container", one.container}, {"range", one.range}},
                *value);
        }
    }
}

void write_data(metrics::Writer& writer, const std::vector<OpenPartition>& open) {
    write_each(writer.gauge("orrery_partition_items", "Items, by partition."),
               open,
               [](const auto& one) { return static_cast<double>(one.partition->item_count()); });
    write_each(writer.gauge("orrery_partition_item_bytes", "JSON of the items, by partition."),
               open,
               [](const auto& one) { return static_cast<double>(one.partition->item_bytes()); });
}

void write_units(metrics::Writer& writer, const std::vector<OpenPartition>& open) {
    write_each(
        writer.counter("orrery_partition_request_units_total", "Request units used, by partition."),
        open,
        [](const auto& one) { return one.partition->ledger().spent().units; });
    write_each(writer.counter("orrery_partition_requests_total",
                              "Requests that used request units, by partition."),
               open,
               [](const auto& one) {
                   return static_cast<double>(one.partition->ledger().spent().requests);
               });
    write_each(writer.counter("orrery_partition_throttled_total",
                              "Requests refused because the budget was used up, by the partitions "
                              "of the budget."),
               open,
               [](const auto& one) { return static_cast<double>(one.budget.refused); });
}

void write_budgets(metrics::Writer& writer, const std::vector<OpenPartition>& open) {
    write_each(writer.gauge("orrery_partition_provisioned_request_units",
                            "Request units per second of the budget, by partition."),
               open,
               [](const auto& one) {
                   return one.is_limited() ? std::optional(one.budget.rate) : std::nullopt;
               });
    write_each(writer.gauge("orrery_partition_normalized_consumption",
                            "Share of the budget used in the busiest second of the last minute, by "
                            "partition."),
               open,
               [](const auto& one) {
                   return one.is_limited()
                              ? std::optional(one.budget.busiest_second / one.budget.rate)
                              : std::nullopt;
               });
}

struct NamedOffer {
    std::string database;
    std::string container;  // empty: the database's own
    catalog::OfferPtr offer;
};

std::vector<NamedOffer> named_offers(const Sources& sources) {
    std::vector<NamedOffer> out;
    for (const catalog::OfferPtr& offer : sources.catalog.offers()) {
        NamedOffer named{.database = {}, .container = {}, .offer = offer};
        auto database_rid = model::DatabaseRid::parse(offer->resource_rid);
        if (const auto rid = model::ContainerRid::parse(offer->resource_rid)) {
            const auto container = sources.catalog.find_container(*rid);
            if (!container) continue;
            named.container = container->definition.id;
            database_rid = model::DatabaseRid{rid->database};
        }
        const auto database = database_rid ? sources.catalog.find_database(*database_rid) : nullptr;
        if (!database) continue;
        named.database = database->name;
        out.push_back(std::move(named));
    }
    return out;
}

void write_offers(metrics::Writer& writer, const Sources& sources) {
    const std::vector<NamedOffer> offers = named_offers(sources);
    auto provisioned = writer.gauge("orrery_offer_request_units",
                                    "Provisioned request units per second; with autoscale the "
                                    "maximum.");
    for (const NamedOffer& one : offers) {
        provisioned.add({{"database", one.database}, {"container", one.container}},
                        one.offer->throughput.request_units);
    }
    auto scaled = writer.gauge("orrery_offer_scaled_request_units",
                               "Request units per second that autoscale has scaled to, by the "
                               "busiest second of the last minute.");
    for (const NamedOffer& one : offers) {
        if (!one.offer->throughput.autoscale) continue;
        scaled.add({{"database", one.database}, {"container", one.container}},
                   sources.offers.scaled_units(*one.offer));
    }
}

}  // namespace

void write_throughput(metrics::Writer& writer, const Sources& sources) {
    const std::vector<OpenPartition> open = open_partitions(sources);
    write_data(writer, open);
    write_units(writer, open);
    write_budgets(writer, open);
    write_offers(writer, sources);
    const service::Repartitioning::Stats stats = sources.repartitioning.stats();
    writer.counter("orrery_partition_splits_total", "Partitions split.").add(stats.splits);
    writer.counter("orrery_partition_merges_total", "Pairs of partitions merged.")
        .add(stats.merges);
    writer.counter("orrery_repartitioning_failures_total", "Splits and merges that were given up.")
        .add(stats.failures);
    writer
        .gauge("orrery_repartitioning_longest_pause_seconds",
               "Longest time that writes waited for a split or merge.")
        .add(metrics::in_seconds(stats.longest_pause));
}

}  // namespace orrery::server::metrics_page
