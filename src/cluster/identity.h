// Who a node is: a name that its operator chose, and an incarnation that is new with every start,
// so that what an earlier process of the same name began can be told from what this one does.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::cluster {

using Incarnation = std::uint64_t;  // random, never zero

struct Identity {
    std::string node;
    Incarnation incarnation = 0;

    bool operator==(const Identity&) const = default;
};

// "db1/00000000000004d2": what the directory of a partition names as its owner. On disk.
std::string owner_text(const Identity& identity);
// Nothing if the text is not of this form.
std::optional<Identity> parse_owner(std::string_view text);

// Sixteen hexadecimal digits.
std::string incarnation_text(Incarnation incarnation);
std::optional<Incarnation> parse_incarnation(std::string_view text);

// Letters, digits, dots, dashes and underscores, 1 to 63 of them, beginning with a letter or digit.
inline constexpr std::size_t kNodeNameLengthMax = 63;
Status check_node_name(std::string_view name);

}  // namespace orrery::cluster
