// What operations cost, in request units. The only place that knows prices; docs/request-units.md
// shows them beside the published ones. A price depends on what was done and on nothing else, so
// the same request on the same data always costs the same.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace orrery::throughput {

// A point read of an item of that size. Also the price of one that found nothing, of 0 bytes.
double read_charge(std::size_t item_bytes);

// What a write did to one item.
struct ItemChange {
    std::size_t old_bytes = 0;  // 0 if there was none
    std::size_t new_bytes = 0;  // 0 if there is none any more
    // Entries of the index.
    std::size_t terms_removed = 0;
    std::size_t terms_added = 0;
    std::size_t properties_patched = 0;
};
double write_charge(const ItemChange& change);

// Strong and bounded staleness make the service ask two replicas: reads, feeds and queries cost so
// much more.
inline constexpr double kStrongReadFactor = 2;

// What a page of a query did.
struct QueryWork {
    std::size_t partitions = 0;
    std::uint64_t index_entries = 0;
    std::uint64_t items_loaded = 0;
    std::uint64_t bytes_loaded = 0;
    std::uint64_t result_bytes = 0;
};
double query_charge(const QueryWork& work);

// A page of a feed that read so many items, of so many bytes together.
double feed_charge(std::uint64_t items, std::uint64_t bytes);

// A script, in addition to its operations.
double script_charge(std::chrono::nanoseconds run);

// A request that was begun and refused, or that did nothing.
inline constexpr double kRefusedCharge = 1;
// A request that was not begun because request units were used up.
inline constexpr double kThrottledCharge = 0.38;
// A change of a database, a container or another resource that is not an item.
inline constexpr double kResourceCharge = 4.95;

}  // namespace orrery::throughput
