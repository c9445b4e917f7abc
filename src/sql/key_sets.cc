#include "sql/key_sets.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <unordered_set>

namespace orrery::sql {

namespace {

// Key pairs compared when two sets are intersected; beyond this, one of the sets is the result.
constexpr std::size_t kPairsMax = 100'000;

using Component = model::PartitionKeyValue::Component;

std::string encoded(const std::optional<Component>& component) {
    if (!component) return "-";
    return model::PartitionKeyValue{*component}.encode();
}

std::string encoded(const PartialKey& key) {
    std::string out;
    for (const auto& component : key) {
        out += encoded(component);
    }
    return out;
}

std::vector<PartialKey> without_duplicates(std::vector<PartialKey> keys) {
    std::unordered_set<std::string> seen;
    std::erase_if(keys, [&](const PartialKey& key) { return !seen.insert(encoded(key)).second; });
    return keys;
}

std::optional<PartialKey> merged(const PartialKey& a, const PartialKey& b) {
    PartialKey out;
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (a[i] && b[i] && *a[i] != *b[i]) return std::nullopt;
        out[i] = a[i] ? a[i] : b[i];
    }
    return out;
}

// The one component that all these keys specify, if it is the same one and the only one.
std::optional<std::size_t> only_component(const std::vector<PartialKey>& keys) {
    std::optional<std::size_t> only;
    for (const PartialKey& key : keys) {
        for (std::size_t i = 0; i < key.size(); ++i) {
            if (key[i].has_value() && only.value_or(i) != i) return std::nullopt;
            if (key[i]) only = i;
        }
        if (!only || !key[*only]) return std::nullopt;
    }
    return only;
}

}  // namespace

KeySet KeySet::of(std::size_t component, const std::vector<Component>& values) {
    std::vector<PartialKey> keys;
    keys.reserve(values.size());
    for (const Component& value : values) {
        keys.emplace_back()[component] = value;
    }
    return KeySet(without_duplicates(std::move(keys)));
}

bool KeySet::is_all() const {
    return keys_.size() == 1 && std::none_of(keys_[0].begin(), keys_[0].end(), [](const auto& c) {
               return c.has_value();
           });
}

KeySet KeySet::intersected(const KeySet& other) const {
    if (is_all()) return other;
    if (other.is_all()) return *this;
    const auto only = only_component(keys_);
    if (only && only == only_component(other.keys_)) {
        // Two lists of values for one component; both may be long.
        std::unordered_set<std::string> there;
        for (const PartialKey& key : other.keys_) {
            there.insert(encoded(key[*only]));
        }
        std::vector<PartialKey> both = keys_;
        std::erase_if(both,
                      [&](const PartialKey& key) { return there.count(encoded(key[*only])) == 0; });
        return KeySet(std::move(both));
    }
    if (keys_.size() > kPairsMax / std::max<std::size_t>(other.keys_.size(), 1)) {
        return keys_.size() < other.keys_.size() ? *this : other;
    }
    std::vector<PartialKey> both;
    for (const PartialKey& a : keys_) {
        for (const PartialKey& b : other.keys_) {
            if (auto key = merged(a, b)) both.push_back(*std::move(key));
        }
    }
    return KeySet(without_duplicates(std::move(both)));
}

KeySet KeySet::united(std::vector<KeySet> sets) {
    std::vector<PartialKey> any;
    for (KeySet& set : sets) {
        if (set.is_all()) return all();
        std::move(set.keys_.begin(), set.keys_.end(), std::back_inserter(any));
    }
    return KeySet(without_duplicates(std::move(any)));
}

}  // namespace orrery::sql
