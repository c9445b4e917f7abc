// Keeps the smallest `limit` of the keys added, in order. Their memory counts for the budget.

#pragma once

#include <algorithm>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "sql/arena.h"
#include "sql/budget.h"
#include "sql/source.h"

namespace orrery::sql {

class TopKeys {
public:
    struct Place {
        std::string key;
        ItemNumber number = 0;

        bool operator<(const Place& other) const { return key < other.key; }
    };

    TopKeys(std::size_t limit, Budget& budget) : limit_(limit), budget_(budget) {}
    TopKeys(const TopKeys&) = delete;
    TopKeys& operator=(const TopKeys&) = delete;
    ~TopKeys() { budget_.give(bytes_); }

    void add(std::string key, ItemNumber number) {
        if (kept_.size() == limit_) {
            more_ = true;
            if (!(key < kept_.top().key)) return;
            release(bytes_of(kept_.top()));
            kept_.pop();
        }
        Place place{std::move(key), number};
        bytes_ += bytes_of(place);
        budget_.take(bytes_of(place));
        kept_.push(std::move(place));
    }

    // Some keys were dropped.
    bool more() const { return more_; }

    // Charges what the keys take to `charged` and nothing else.
    std::vector<Place> take(Arena& charged) && {
        charged.reset();
        charged.charge(bytes_);
        std::vector<Place> sorted(kept_.size());
        for (std::size_t i = sorted.size(); i > 0; --i) {
            sorted[i - 1] = kept_.top();
            kept_.pop();
        }
        return sorted;
    }

private:
    static std::size_t bytes_of(const Place& place) { return sizeof(Place) + place.key.size(); }

    void release(std::size_t bytes) {
        bytes_ -= bytes;
        budget_.give(bytes);
    }

    std::size_t limit_;
    Budget& budget_;
    std::size_t bytes_ = 0;
    std::priority_queue<Place> kept_;  // greatest key on top
    bool more_ = false;
};

// As many as a page can take, up to a fixed maximum.
inline std::size_t sorted_at_once(std::size_t rows_wanted) {
    constexpr std::size_t kMax = 10'000;
    return std::clamp<std::size_t>(rows_wanted, 1, kMax);
}

}  // namespace orrery::sql
