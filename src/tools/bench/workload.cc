#include "tools/bench/workload.h"

namespace orrery::tools::bench {

namespace {

constexpr std::array<std::string_view, kOperations> kNames = {
    "insert", "read", "update", "readModifyWrite", "scan", "query", "delete"};

std::size_t index_of(Operation operation) { return static_cast<std::size_t>(operation); }

std::array<unsigned, kOperations> mix(std::initializer_list<std::pair<Operation, unsigned>> parts) {
    std::array<unsigned, kOperations> out{};
    for (const auto& [operation, percent] : parts) {
        out[index_of(operation)] = percent;
    }
    return out;
}

std::vector<Workload> make_workloads() {
    using enum Operation;
    using enum Distribution;
    return {
        {"insert", "100 % insert", mix({{kInsert, 100}}), kUniform},
        {"read", "100 % point read", mix({{kRead, 100}}), kUniform},
        {"query", "100 % query", mix({{kQuery, 100}}), kUniform},
        {"a", "50 % read, 50 % update", mix({{kRead, 50}, {kUpdate, 50}}), kZipfian},
        {"b", "95 % read, 5 % update", mix({{kRead, 95}, {kUpdate, 5}}), kZipfian},
        {"c", "100 % read", mix({{kRead, 100}}), kZipfian},
        {"d", "95 % read, 5 % insert", mix({{kRead, 95}, {kInsert, 5}}), kLatest},
        {"e", "95 % scan, 5 % insert", mix({{kScan, 95}, {kInsert, 5}}), kZipfian},
        {"f",
         "50 % read, 50 % read-modify-write",
         mix({{kRead, 50}, {kReadModifyWrite, 50}}),
         kZipfian},
    };
}

}  // namespace

std::string_view name_of(Operation operation) { return kNames[index_of(operation)]; }

Operation Workload::operation(std::uint64_t draw) const {
    std::uint64_t until = 0;
    for (std::size_t i = 0; i < percent.size(); ++i) {
        until += percent[i];
        if (draw < until) return static_cast<Operation>(i);
    }
    return Operation::kRead;
}

bool Workload::has(Operation operation) const { return percent[index_of(operation)] > 0; }

bool Workload::needs_items() const { return percent[index_of(Operation::kInsert)] < 100; }

const std::vector<Workload>& all_workloads() {
    static const std::vector<Workload> kAll = make_workloads();
    return kAll;
}

Workload only(Operation operation) {
    return {.name = name_of(operation), .summary = "", .percent = mix({{operation, 100}})};
}

}  // namespace orrery::tools::bench
