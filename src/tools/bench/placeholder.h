// Placeholders of templates: {{sequence}}, {{uuid}}, {{random 1 100}}, {{text 20}}, {{pick a b}}.
// What one stands for depends only on the run's seed, the item's number, its version and the place
// in the template, so the id and key of an item can be found again without having been kept.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::tools::bench {

// Which rendering of a template.
struct Draw {
    std::uint64_t seed = 0;
    std::uint64_t number = 0;   // of the item
    std::uint64_t version = 0;  // of its content; 0 for the first
};

struct Placeholder {
    enum class Kind : std::uint8_t { kSequence, kUuid, kRandom, kText, kPick };

    Kind kind = Kind::kSequence;
    std::int64_t least = 0;  // kRandom
    std::int64_t most = 0;
    std::size_t length = 0;            // kText
    std::vector<std::string> choices;  // kPick
    // Part of the id or the partition key: the same in all versions.
    bool in_key = false;

    // What it stands for can be a JSON value without quotes.
    bool is_literal() const;
    bool is_distinct() const { return kind == Kind::kSequence || kind == Kind::kUuid; }
    // `place`: its index among the placeholders of the template.
    void append(std::string& out, const Draw& draw, std::size_t place) const;
};

// Of the text between the braces.
Result<Placeholder> parse_placeholder(std::string_view text);

// The one that stands for a random id.
Placeholder uuid_placeholder();

}  // namespace orrery::tools::bench
