#include "tools/import/columns.h"

#include <algorithm>
#include <charconv>

#include "json/scan.h"

namespace orrery::tools {

namespace {

Error bad_column(const std::string& name, const std::string& problem) {
    return Error(ErrorCode::kBadRequest, "column '" + name + "' " + problem);
}

}  // namespace

Result<ColumnPath> parse_column(std::string_view text) {
    const std::string shown(text.substr(0, 100));
    ColumnPath out;
    std::string name;
    bool named = false;  // a name goes on, or a dot wants one
    const auto end_name = [&] {
        if (named) out.emplace_back(std::move(name));
        name.clear();
        named = false;
    };
    if (text.empty()) return bad_column(shown, "has no name");
    named = text.front() != '[';
    while (!text.empty()) {
        const char c = text.front();
        text.remove_prefix(1);
        if (c == '\\' && !text.empty()) {
            name += text.front();
            text.remove_prefix(1);
        } else if (c == '.') {
            end_name();
            named = true;
        } else if (c == '[') {
            end_name();
            std::size_t position = 0;
            const auto [until, error] =
                std::from_chars(text.data(), text.data() + text.size(), position);
            const auto digits = static_cast<std::size_t>(until - text.data());
            if (error != std::errc() || digits == text.size() || text[digits] != ']') {
                return bad_column(shown,
                                  "has a '[' without a position; write \\[ for the character");
            }
            if (position >= kElementsMax) return bad_column(shown, "has a position above 9999");
            out.emplace_back(position);
            text.remove_prefix(digits + 1);
        } else {
            if (!named) return bad_column(shown, "has text after ']' where '.' or '[' is expected");
            name += c;
        }
    }
    end_name();
    if (out.size() > json::kDepthMax) return bad_column(shown, "is nested too deeply");
    if (!std::holds_alternative<std::string>(out.front())) {
        return bad_column(shown, "does not begin with a name");
    }
    return out;
}

Result<Columns> Columns::parse(const std::vector<std::string>& header) {
    Columns out;
    for (const std::string& name : header) {
        const ColumnPath path = TRY(parse_column(name));
        if (path.size() == 1 && path.front() == ColumnPath::value_type("id")) out.id_ = out.count_;
        TRY(out.add(path, name, out.count_));
        ++out.count_;
    }
    return out;
}

Status Columns::add(const ColumnPath& path, const std::string& name, std::size_t column) {
    std::size_t node = 0;
    for (const auto& step : path) {
        node = child(node, step, name);
    }
    Node& leaf = nodes_[node];
    if (leaf.column != kNone) return bad_column(name, "is there twice");
    leaf.column = column;
    return {};
}

std::size_t Columns::child(std::size_t parent,
                           const ColumnPath::value_type& step,
                           const std::string& name) {
    const auto [found, added] = children_.try_emplace({parent, step}, nodes_.size());
    if (!added) return found->second;
    Node& node = nodes_[parent];
    if (std::holds_alternative<std::size_t>(step)) {
        node.elements.emplace_back(std::get<std::size_t>(step), found->second);
        std::sort(node.elements.begin(), node.elements.end());
    } else {
        node.members.emplace_back(std::get<std::string>(step), found->second);
    }
    nodes_.emplace_back().first_column = name;  // the last, as it moves the nodes
    return found->second;
}

Result<json::Value> Columns::item(std::vector<std::optional<json::Value>> cells) const {
    auto out = TRY(build(0, cells));
    return out ? *std::move(out) : json::Value(json::Value::Object{});
}

Result<std::optional<json::Value>> Columns::build(
    std::size_t number, std::vector<std::optional<json::Value>>& cells) const {
    const Node& node = nodes_[number];
    std::optional<json::Value> out;
    if (node.column != kNone) out = std::move(cells[node.column]);
    json::Value::Array elements;
    for (const auto& [position, child] : node.elements) {
        if (auto value = TRY(build(child, cells))) elements.push_back(*std::move(value));
    }
    json::Value::Object members;
    for (const auto& [name, child] : node.members) {
        if (auto value = TRY(build(child, cells))) members.push_back({name, *std::move(value)});
    }
    const int kinds = int{out.has_value()} + int{!elements.empty()} + int{!members.empty()};
    if (kinds > 1) {
        return bad_column(node.first_column, "and another one make one property of two kinds");
    }
    if (!elements.empty()) out = std::move(elements);
    if (!members.empty()) out = std::move(members);
    return out;
}

}  // namespace orrery::tools
