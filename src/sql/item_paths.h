// Fetches the values at a query's paths from an item's JSON text in one pass, entering only what a
// path leads into and stopping when all are found.

#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sql/arena.h"
#include "sql/bound.h"
#include "sql/source.h"
#include "sql/value.h"

namespace orrery::sql {

class ItemPaths {
public:
    explicit ItemPaths(std::span<const ItemPath> paths);
    // Fetches only those with these numbers; the others are undefined.
    ItemPaths(std::span<const ItemPath> paths, const std::set<std::uint64_t>& wanted);

    std::size_t size() const { return count_; }

    // Sets out[i] to the value at path i, or to undefined. The values point into the JSON text.
    void fetch(const Item& item, std::span<Value> out, Arena& arena) const;

private:
    struct Node {
        std::vector<std::pair<std::string, std::size_t>> names;
        std::vector<std::pair<std::uint64_t, std::size_t>> positions;
        std::vector<std::size_t> paths;  // that end here

        bool is_leaf() const { return names.empty() && positions.empty(); }
    };

    void add(const ItemPath& path, std::size_t number);
    std::size_t child(std::size_t node, const ast::PathStep& step);
    // A value in an item.
    struct Piece {
        std::string_view text;
        json::NumberForm numbers;
    };
    void enter(const Node& node, const Piece& value, std::span<Value> out, Arena& arena) const;

    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::size_t count_;
};

}  // namespace orrery::sql
