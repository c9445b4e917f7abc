// What kinds of operations there are, and in which proportions workloads mix them.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/distribution.h"

namespace orrery::tools::bench {

enum class Operation : std::uint8_t {
    kInsert,
    kRead,
    kUpdate,
    kReadModifyWrite,
    kScan,
    kQuery,
    kDelete,  // only to clean up
};
inline constexpr std::size_t kOperations = 7;
std::string_view name_of(Operation operation);

struct Workload {
    std::string_view name;
    std::string_view summary;  // "50 % read, 50 % update"
    std::array<unsigned, kOperations> percent{};
    Distribution distribution = Distribution::kUniform;

    // For `draw` in [0, 100).
    Operation operation(std::uint64_t draw) const;
    bool has(Operation operation) const;
    // Whether it does anything with items that exist already.
    bool needs_items() const;
};

// insert, read, query, and those of YCSB.
const std::vector<Workload>& all_workloads();

// Made of one operation only.
Workload only(Operation operation);

}  // namespace orrery::tools::bench
