#include "tools/bench/distribution.h"

#include <algorithm>
#include <cmath>

namespace orrery::tools::bench {

namespace {

constexpr double kTheta = 0.99;
// YCSB draws from so many ranks, whose sum it has computed once, and scatters them over the items.
constexpr std::uint64_t kScatteredRanks = UINT64_C(10'000'000'000);
constexpr double kScatteredZeta = 26.46902820178302;

// FNV-1a over the bytes of the number, as YCSB hashes.
std::uint64_t fnv(std::uint64_t number) {
    std::uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (int i = 0; i < 8; ++i) {
        hash ^= number & 0xFFU;
        hash *= UINT64_C(1099511628211);
        number >>= 8U;
    }
    const auto signed_hash = static_cast<std::int64_t>(hash);
    return signed_hash < 0 ? 0 - hash : hash;
}

Zipfian ranks_for(const ItemChooser::Options& options) {
    switch (options.distribution) {
        case Distribution::kZipfian:
            return {kScatteredRanks, kScatteredZeta};
        case Distribution::kLatest:
            return Zipfian(options.items);
        default:
            return {1, 1.0};
    }
}

}  // namespace

Zipfian::Zipfian(std::uint64_t items) { grow(items); }

Zipfian::Zipfian(std::uint64_t items, double zeta) : items_(items), zeta_(zeta) { update(); }

void Zipfian::grow(std::uint64_t items) {
    for (; items_ < items; ++items_) {
        zeta_ += 1 / std::pow(static_cast<double>(items_ + 1), kTheta);
    }
    update();
}

void Zipfian::update() {
    const double zeta_of_two = 1 + std::pow(0.5, kTheta);
    eta_ =
        (1 - std::pow(2.0 / static_cast<double>(items_), 1 - kTheta)) / (1 - zeta_of_two / zeta_);
}

std::uint64_t Zipfian::rank(double unit) const {
    const double share = unit * zeta_;
    if (share < 1 || items_ < 2) return 0;
    if (share < 1 + std::pow(0.5, kTheta) || items_ < 3) return 1;
    const double of_all = std::pow(eta_ * unit - eta_ + 1, 1 / (1 - kTheta));
    return std::min(static_cast<std::uint64_t>(static_cast<double>(items_) * of_all), items_ - 1);
}

ItemChooser::ItemChooser(const Options& options)
    : options_(options), zipfian_(ranks_for(options)), random_(options.seed) {}

ItemChooser ItemChooser::with_seed(std::uint64_t seed) const {
    ItemChooser out = *this;
    out.options_.seed = seed;
    out.random_ = RandomStream(seed);
    return out;
}

std::uint64_t ItemChooser::next(std::uint64_t limit) {
    switch (options_.distribution) {
        case Distribution::kZipfian: {
            const std::uint64_t range = options_.items + options_.added;
            std::uint64_t out = 0;
            do {
                out = fnv(zipfian_.rank(random_.unit())) % range;
            } while (out >= limit);
            return out;
        }
        case Distribution::kLatest:
            zipfian_.grow(limit);
            return limit - 1 - std::min(zipfian_.rank(random_.unit()), limit - 1);
        default:
            return random_.below(std::min(options_.items, limit));
    }
}

}  // namespace orrery::tools::bench
