#include "throughput/hot_keys.h"

#include <algorithm>
#include <cmath>

namespace orrery::throughput {

namespace {

constexpr std::size_t kEntriesMax = 32;
constexpr std::size_t kKeyBytesMax = 256;  // longer ones are left out
constexpr std::chrono::seconds kHalfLife{30};

}  // namespace

void HotKeys::add(std::string_view key, double units, TimePoint now) {
    if (key.size() > kKeyBytesMax) return;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    age(now);
    total_ += units;
    entry_of(key).weight += units;
}

void HotKeys::age(TimePoint now) const {
    if (now <= aged_at_) return;
    const double half_lives = std::chrono::duration<double>(now - aged_at_) / kHalfLife;
    aged_at_ = now;
    const double factor = std::exp2(-half_lives);
    total_ *= factor;
    for (Entry& entry : entries_)
        entry.weight *= factor;
}

HotKeys::Entry& HotKeys::entry_of(std::string_view key) {
    const auto found = std::find_if(
        entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
    if (found != entries_.end()) return *found;
    if (entries_.size() < kEntriesMax) return entries_.emplace_back(Entry{.key = std::string(key)});
    Entry& smallest =
        *std::min_element(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
            return a.weight < b.weight;
        });
    smallest.key = key;
    return smallest;
}

std::vector<HotKey> HotKeys::top(std::size_t count_max, TimePoint now) const {
    const std::lock_guard lock(mutex_);
    age(now);
    std::vector<HotKey> out;
    constexpr double kForgotten = 0.01;  // of a request unit
    for (const Entry& entry : entries_) {
        if (entry.weight < kForgotten) continue;
        out.push_back({.key = entry.key, .share = std::min(1.0, entry.weight / total_)});
    }
    std::sort(
        out.begin(), out.end(), [](const HotKey& a, const HotKey& b) { return a.share > b.share; });
    if (out.size() > count_max) out.resize(count_max);
    return out;
}

}  // namespace orrery::throughput
