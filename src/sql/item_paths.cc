#include "sql/item_paths.h"

#include <algorithm>

#include "json/walk.h"

namespace orrery::sql {

ItemPaths::ItemPaths(std::span<const ItemPath> paths) : count_(paths.size()) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
        add(paths[i], i);
    }
}

ItemPaths::ItemPaths(std::span<const ItemPath> paths, const std::set<std::uint64_t>& wanted)
    : count_(paths.size()) {
    for (const std::uint64_t number : wanted) {
        add(paths[number], number);
    }
}

void ItemPaths::add(const ItemPath& path, std::size_t number) {
    std::size_t node = 0;
    for (const ast::PathStep& step : path) {
        node = child(node, step);
    }
    nodes_[node].paths.push_back(number);
}

std::size_t ItemPaths::child(std::size_t node, const ast::PathStep& step) {
    const auto find_or_add = [&](auto member, const auto& key) {
        for (const auto& [known, next] : nodes_[node].*member) {
            if (known == key) return next;
        }
        const std::size_t next = nodes_.size();
        (nodes_[node].*member).emplace_back(key, next);
        nodes_.emplace_back();
        return next;
    };
    if (const auto* name = std::get_if<std::string>(&step)) {
        return find_or_add(&Node::names, *name);
    }
    return find_or_add(&Node::positions, std::get<std::uint64_t>(step));
}

void ItemPaths::fetch(const Item& item, std::span<Value> out, Arena& arena) const {
    std::fill(out.begin(), out.end(), Value::undefined());
    enter(nodes_.front(), {.text = item.json, .numbers = item.numbers}, out, arena);
}

void ItemPaths::enter(const Node& node,
                      const Piece& value,
                      std::span<Value> out,
                      Arena& arena) const {
    if (!node.paths.empty()) {
        const Value found = Value::from_json(value.text, arena, value.numbers);
        for (const std::size_t path : node.paths) {
            out[path] = found;
        }
    }
    if (node.is_leaf()) return;
    if (value.text.front() == '{') {
        std::size_t missing = node.names.size();
        json::Walk walk(value.text);
        while (missing > 0) {
            const auto piece = walk.next();
            if (!piece) return;
            for (const auto& [name, next] : node.names) {
                if (!json::quoted_equals(piece->name, name)) continue;
                enter(nodes_[next], {.text = piece->value, .numbers = value.numbers}, out, arena);
                --missing;
                break;
            }
        }
    } else if (value.text.front() == '[' && !node.positions.empty()) {
        std::size_t missing = node.positions.size();
        json::Walk walk(value.text);
        for (std::uint64_t at = 0; missing > 0; ++at) {
            const auto piece = walk.next();
            if (!piece) return;
            for (const auto& [position, next] : node.positions) {
                if (position != at) continue;
                enter(nodes_[next], {.text = piece->value, .numbers = value.numbers}, out, arena);
                --missing;
            }
        }
    }
}

}  // namespace orrery::sql
