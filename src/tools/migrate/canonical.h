// A hash of what an item is, whatever the order of its properties and the notation of its numbers:
// servers may change both. 1.50, 15e-1 and 1.5 are the same number, with any count of digits.

#pragma once

#include <string>
#include <string_view>

#include "base/hash.h"
#include "json/value.h"

namespace orrery::tools {

// "-15e-1"; zero is "0". `number` is a JSON number.
std::string canonical_number(std::string_view number);

// Minified, with members in the order of their names.
std::string canonical_text(const json::Value& value);

// The sum over items does not depend on their order.
struct Checksum {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    void add(const Hash128& item) {
        high += item.h1;
        low += item.h2;
    }
    std::string text() const;
    bool operator==(const Checksum&) const = default;
};

}  // namespace orrery::tools
