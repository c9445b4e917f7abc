// Which item an operation is about, as the Yahoo! Cloud Serving Benchmark (YCSB) chooses:
// uniformly, some items much more often than others (zipfian, scattered over all of them), or the
// newest ones most often (latest).

#pragma once

#include <cstdint>

#include "tools/bench/random_stream.h"

namespace orrery::tools::bench {

enum class Distribution : std::uint8_t { kUniform, kZipfian, kLatest };

// Ranks from 0, the most frequent one, after Gray et al., "Quickly Generating Billion-Record
// Synthetic Databases" (SIGMOD 1994), with YCSB's constant 0.99.
class Zipfian {
public:
    explicit Zipfian(std::uint64_t items);
    // With a sum that is known, for a number of items that is too large to compute it.
    Zipfian(std::uint64_t items, double zeta);

    // For `unit` in [0, 1).
    std::uint64_t rank(double unit) const;
    void grow(std::uint64_t items);

private:
    void update();

    std::uint64_t items_ = 0;
    double zeta_ = 0;  // the sum of 1 / i^0.99 for i from 1 to items_
    double eta_ = 0;
};

// Copies share nothing: one for each thread.
class ItemChooser {
public:
    struct Options {
        Distribution distribution = Distribution::kUniform;
        std::uint64_t items = 1;  // that exist at the start
        // How many may be added. A zipfian choice covers them from the start, so that what is
        // frequent stays so.
        std::uint64_t added = 0;
        std::uint64_t seed = 0;
    };
    explicit ItemChooser(const Options& options);

    // The same distribution with other random numbers.
    ItemChooser with_seed(std::uint64_t seed) const;

    // For other random numbers of the same thread.
    std::uint64_t next_seed() { return random_.next(); }
    // The number of an item below `limit`, at least 1: of those that exist now.
    std::uint64_t next(std::uint64_t limit);

private:
    Options options_;
    Zipfian zipfian_;
    RandomStream random_;
};

}  // namespace orrery::tools::bench
