#include "throughput/charges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace orrery::throughput {

namespace {

// The service's published figures are multiples of 1/21 request unit for reads, and of four times
// as much for writes.
constexpr double kUnit = 1.0 / 21;
constexpr double kWriteStep = 4 * kUnit;
constexpr double kKilobyte = 1024;

struct Price {
    double kilobytes;
    double units;
};

constexpr std::array<Price, 12> kReadPrices = {{{1, 21},
                                                {2, 22},
                                                {4, 24},
                                                {8, 28},
                                                {16, 35},
                                                {32, 46},
                                                {64, 100},
                                                {128, 209},
                                                {256, 426},
                                                {512, 860},
                                                {1024, 3064},
                                                {2048, 6128}}};

constexpr std::array<Price, 12> kWritePrices = {{{1, 26},
                                                 {2, 33},
                                                 {4, 35},
                                                 {8, 37},
                                                 {16, 50},
                                                 {32, 59},
                                                 {64, 119},
                                                 {128, 253},
                                                 {256, 516},
                                                 {512, 969},
                                                 {1024, 3281.25},
                                                 {2048, 6562.5}}};

// Between the published sizes, in a straight line; beyond the last, in its proportion.
double price_of(std::size_t bytes, std::span<const Price> prices) {
    const double kilobytes = static_cast<double>(bytes) / kKilobyte;
    if (kilobytes <= prices.front().kilobytes) return prices.front().units;
    const auto above = std::find_if(prices.begin(), prices.end(), [&](const Price& price) {
        return price.kilobytes >= kilobytes;
    });
    if (above == prices.end()) return prices.back().units * kilobytes / prices.back().kilobytes;
    const Price& from = *(above - 1);
    const double share = (kilobytes - from.kilobytes) / (above->kilobytes - from.kilobytes);
    return from.units + share * (above->units - from.units);
}

// Charges are shown, and added up by clients, with two decimals.
double rounded(double charge) { return std::round(charge * 100) / 100; }

double write_price(std::size_t bytes) {
    return bytes == 0 ? 0 : kWriteStep * std::ceil(price_of(bytes, kWritePrices));
}

}  // namespace

double read_charge(std::size_t item_bytes) {
    return rounded(kUnit * std::ceil(price_of(item_bytes, kReadPrices)));
}

double write_charge(const ItemChange& change) {
    constexpr double kPatchedProperty = 0.4;
    const auto terms = static_cast<double>(change.terms_removed + change.terms_added);
    return rounded(write_price(change.old_bytes) + write_price(change.new_bytes) +
                   kWriteStep * terms +
                   kPatchedProperty * static_cast<double>(change.properties_patched));
}

double query_charge(const QueryWork& work) {
    // The least that the service takes for a query; each further partition adds about 2.5.
    constexpr double kPartition = 2.3;
    // From a scan of 60,951 items of 400 MB for 4,059.95 request units.
    constexpr double kItem = 0.004;
    constexpr double kMegabyteLoaded = 9.5;
    constexpr double kEntry = 0.0005;
    constexpr double kKilobyteReturned = 0.02;
    constexpr double kMegabyte = kKilobyte * kKilobyte;
    return rounded(kPartition * static_cast<double>(std::max<std::size_t>(work.partitions, 1)) +
                   kItem * static_cast<double>(work.items_loaded) +
                   kMegabyteLoaded * static_cast<double>(work.bytes_loaded) / kMegabyte +
                   kEntry * static_cast<double>(work.index_entries) +
                   kKilobyteReturned * static_cast<double>(work.result_bytes) / kKilobyte);
}

double feed_charge(std::uint64_t items, std::uint64_t bytes) {
    if (items == 0) return kRefusedCharge;
    return static_cast<double>(items) * read_charge(bytes / items);
}

double script_charge(std::chrono::nanoseconds run) {
    constexpr double kScript = 4.7;
    // Whole steps, so that a script that does little costs the same every time.
    constexpr auto kStep = std::chrono::milliseconds(100);
    constexpr double kStepPrice = 5;
    return kScript + kStepPrice * static_cast<double>(run / kStep);
}

}  // namespace orrery::throughput
