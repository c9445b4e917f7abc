// The index keys of one item, in one buffer.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::index {

class KeyList {
public:
    std::size_t size() const { return keys_.size(); }
    bool empty() const { return keys_.empty(); }
    std::string_view operator[](std::size_t i) const {
        return std::string_view(bytes_).substr(keys_[i].at, keys_[i].size);
    }

    // The bytes of the next key are appended here; end_key() completes it.
    std::string& bytes() { return bytes_; }
    std::size_t end_of_keys() const { return end_; }
    void end_key() {
        keys_.push_back({.at = static_cast<std::uint32_t>(end_),
                         .size = static_cast<std::uint32_t>(bytes_.size() - end_)});
        end_ = bytes_.size();
    }

    void clear() {
        bytes_.clear();
        keys_.clear();
        end_ = 0;
    }

    // Sorts the keys by their bytes and removes duplicates.
    void sort() {
        const auto view = [this](const Piece& key) {
            return std::string_view(bytes_).substr(key.at, key.size);
        };
        std::sort(keys_.begin(), keys_.end(), [&](const Piece& a, const Piece& b) {
            return view(a) < view(b);
        });
        keys_.erase(std::unique(keys_.begin(),
                                keys_.end(),
                                [&](const Piece& a, const Piece& b) { return view(a) == view(b); }),
                    keys_.end());
    }

private:
    struct Piece {
        std::uint32_t at;
        std::uint32_t size;
    };

    std::string bytes_;
    std::vector<Piece> keys_;
    std::size_t end_ = 0;
};

}  // namespace orrery::index
