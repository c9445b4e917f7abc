// Keeps the smallest `limit` of the keys added, in order.

#pragma once

#include <algorithm>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "sql/source.h"

namespace orrery::sql {

class TopKeys {
public:
    struct Place {
        std::string key;
        ItemNumber number = 0;

        bool operator<(const Place& other) const { return key < other.key; }
    };

    explicit TopKeys(std::size_t limit) : limit_(limit) {}

    void add(std::string key, ItemNumber number) {
        if (kept_.size() == limit_) {
            more_ = true;
            if (!(key < kept_.top().key)) return;
            kept_.pop();
        }
        kept_.push({std::move(key), number});
    }

    // Some keys were dropped.
    bool more() const { return more_; }

    std::vector<Place> take() && {
        std::vector<Place> sorted(kept_.size());
        for (std::size_t i = sorted.size(); i > 0; --i) {
            sorted[i - 1] = kept_.top();
            kept_.pop();
        }
        return sorted;
    }

private:
    std::size_t limit_;
    std::priority_queue<Place> kept_;  // greatest key on top
    bool more_ = false;
};

// As many as a page can take, up to a fixed maximum.
inline std::size_t sorted_at_once(std::size_t rows_wanted) {
    constexpr std::size_t kMax = 10'000;
    return std::clamp<std::size_t>(rows_wanted, 1, kMax);
}

}  // namespace orrery::sql
