// What is known about one range of a container where it is served: its contents, how much of its
// index is built, who uses it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"
#include "partition/keys.h"
#include "throughput/account.h"
#include "throughput/hot_keys.h"

namespace orrery::service {

class Partitions;
class Placement;

struct RangeReport {
    std::uint32_t range_id = 0;
    std::uint64_t item_count = 0;
    std::uint64_t item_bytes = 0;
    partition::Lsn lsn = 0;  // of the newest change
    throughput::Account::Usage budget;
    // Partition keys as JSON arrays, those that use the most request units first.
    std::vector<throughput::HotKey> hottest_keys;
    // Items that are indexed under the container's current policy, and those that shall be.
    std::uint64_t items_indexed = 0;
    std::uint64_t items_to_index = 0;
    bool index_built = true;

    // Between nodes of the same version.
    void append_to(std::string& out) const;
};

// A list of them, one after the other. kUnavailable if it is not one.
Result<std::vector<RangeReport>> decode_reports(std::string_view bytes);

class RangeReports {
public:
    // Without placement all partitions are here.
    explicit RangeReports(Partitions& partitions, Placement* placement = nullptr)
        : partitions_(partitions), placement_(placement) {}

    // Of all ranges of the container, in their order. Opens partitions, and may ask other nodes:
    // call it where blocking is allowed.
    Result<std::vector<RangeReport>> of(const catalog::Container& container) const;
    // Of a range that is here.
    Result<RangeReport> of(const catalog::Container& container, std::size_t range) const;

private:
    Partitions& partitions_;
    Placement* const placement_;
};

}  // namespace orrery::service
