// A simple model of what a partition should hold after random writes. Tests only.

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partition/item_record.h"

namespace orrery::partition::testing_support {

struct ModelItem {
    int order = 0;  // of insertion
    int unique = 0;
    int value = 0;
    int ttl = 0;
    std::string more;  // members that exist only to be indexed
    IndexingDirective directive = IndexingDirective::kDefault;
    std::int64_t timestamp = 0;
    std::string etag;
};

struct Address {
    std::string key;
    std::string id;
    auto operator<=>(const Address&) const = default;
};

class Model {
public:
    ModelItem* find(const Address& address, std::int64_t now) {
        const auto found = items_.find(address);
        if (found == items_.end() || expired(found->second, now)) return nullptr;
        return &found->second;
    }
    bool unique_taken(const Address& self, int unique, std::int64_t now) const {
        return std::any_of(items_.begin(), items_.end(), [&](const auto& entry) {
            return entry.first.key == self.key && entry.first.id != self.id &&
                   entry.second.unique == unique && !expired(entry.second, now);
        });
    }
    // Overwrites, renames or inserts.
    ModelItem& write(const Address& from, const Address& to, ModelItem item, std::int64_t now) {
        const ModelItem* old = find(from, now);
        item.order = old != nullptr ? old->order : ++last_order_;
        item.timestamp = now;
        items_.erase(from);
        return items_[to] = std::move(item);
    }
    void erase(const Address& address) { items_.erase(address); }
    void forget_expired(std::int64_t now) {
        std::erase_if(items_, [&](const auto& entry) { return expired(entry.second, now); });
    }
    // "id=value" in insertion order; of one partition key, or of all.
    std::vector<std::string> feed(const std::string* key, std::int64_t now) const {
        std::map<int, std::string> sorted;
        for (const auto& [address, item] : items_) {
            if (expired(item, now) || (key != nullptr && address.key != *key)) continue;
            sorted[item.order] = address.id + "=" + std::to_string(item.value);
        }
        std::vector<std::string> out;
        out.reserve(sorted.size());
        for (const auto& [order, text] : sorted) {
            out.push_back(text);
        }
        return out;
    }

    // The ids of items whose n is at most this, sorted.
    std::vector<std::string> with_at_most(int value, std::int64_t now) const {
        std::vector<std::string> out;
        for (const auto& [address, item] : items_) {
            if (!expired(item, now) && item.value <= value) out.push_back(address.id);
        }
        std::sort(out.begin(), out.end());
        return out;
    }

    std::optional<std::int32_t> default_ttl = -1;

private:
    bool expired(const ModelItem& item, std::int64_t now) const {
        if (!default_ttl) return false;
        const std::int32_t ttl = item.ttl != 0 ? item.ttl : *default_ttl;
        return ttl > 0 && item.timestamp + ttl <= now;
    }

    std::map<Address, ModelItem> items_;
    int last_order_ = 0;
};

}  // namespace orrery::partition::testing_support
