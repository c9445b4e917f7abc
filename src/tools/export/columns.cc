#include "tools/export/columns.h"

#include "json/text.h"
#include "json/walk.h"
#include "tools/import/columns.h"
#include "tools/import/records.h"

namespace orrery::tools {

namespace {

Error cannot_be_row(const std::string& problem) {
    return Error(ErrorCode::kBadRequest, "an item cannot be a row of CSV: " + problem);
}

bool has_parts(std::string_view value) {
    return value.size() > 2 && (value.front() == '{' || value.front() == '[');
}

// What the import would take for something else than text.
bool looks_like_value(std::string_view text) {
    return text == "true" || text == "false" || text == "null" || text == "[]" || text == "{}" ||
           json::number_length(text) == text.size();
}

bool needs_quotes(std::string_view text, char delimiter) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";  // which readers drop from a file's start
    return text.empty() || text.starts_with(kMark) || text.find(delimiter) != text.npos ||
           text.find_first_of("\"\r\n") != text.npos;
}

std::string quoted_cell(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"') out += '"';
        out += c;
    }
    return out + '"';
}

std::string cell_of(std::string_view value, bool is_id, char delimiter) {
    if (!value.starts_with('"')) return std::string(value);
    std::string text = json::unquote(value);
    // The import takes any id as text.
    const bool ambiguous = !is_id && looks_like_value(text);
    return ambiguous || needs_quotes(text, delimiter) ? quoted_cell(text) : text;
}

std::string escaped_name(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c == '.' || c == '[' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

}  // namespace

Result<ExportColumns> ExportColumns::parse(const std::vector<std::string>& names) {
    ExportColumns out;
    for (const std::string& name : names) {
        const ColumnPath path = TRY(parse_column(name));
        std::size_t node = 0;
        for (const auto& step : path) {
            const auto* const member_name = std::get_if<std::string>(&step);
            if (member_name != nullptr && member_name->empty()) {
                return Error(ErrorCode::kBadRequest,
                             "column '" + name + "' has a property without a name");
            }
            node = member_name != nullptr ? out.member(node, *member_name)
                                          : out.element(node, std::get<std::size_t>(step));
        }
        Node& leaf = out.nodes_[node];
        if (leaf.is_column) {
            return Error(ErrorCode::kBadRequest, "column '" + name + "' is there twice");
        }
        leaf.is_column = true;
        leaf.column = out.count_++;
        out.names_.push_back(name);
    }
    return out;
}

std::size_t ExportColumns::member(std::size_t parent, const std::string& name) {
    Node& node = nodes_[parent];
    const auto [found, added] = node.member_nodes.try_emplace(name, nodes_.size());
    if (!added) return found->second;
    const std::size_t out = found->second;
    node.members.emplace_back(name, out);
    if (parent == 0 && name == "id") id_node_ = out;
    nodes_.emplace_back();  // the last, as it moves the nodes
    return out;
}

std::size_t ExportColumns::element(std::size_t parent, std::size_t position) {
    const auto [found, added] = nodes_[parent].elements.try_emplace(position, nodes_.size());
    const std::size_t out = found->second;
    if (added) nodes_.emplace_back();
    return out;
}

Status ExportColumns::cover(std::string_view item) {
    if (!item.starts_with('{')) return cannot_be_row("it is not an object");
    if (!has_parts(item)) return {};
    return cover(0, item);
}

Status ExportColumns::cover(std::size_t node, std::string_view value) {
    if (!has_parts(value)) {
        if (!nodes_[node].is_column && ++count_ > kColumnsMax) {
            return cannot_be_row("there are more than 10,000 columns; choose some with --columns");
        }
        nodes_[node].is_column = true;
        return {};
    }
    const bool object = value.starts_with('{');
    json::Walk parts(value);
    std::size_t position = 0;
    while (const auto part = parts.next()) {
        if (!object && position == kElementsMax) {
            return cannot_be_row("an array has more than 10,000 elements");
        }
        const std::string name = object ? json::unquote(part->name) : std::string();
        if (object && node == 0 && name.empty()) {
            return cannot_be_row("a property has no name");
        }
        const std::size_t child = object ? member(node, name) : element(node, position++);
        TRY(cover(child, part->value));
    }
    return {};
}

void ExportColumns::arrange() {
    names_.clear();
    arrange(0, "");
}

// Columns of one object or array are neighbours.
void ExportColumns::arrange(std::size_t number, const std::string& path) {
    Node& node = nodes_[number];
    if (node.is_column) {
        node.column = names_.size();
        names_.push_back(path);
    }
    for (const auto& [position, child] : node.elements) {
        arrange(child, path + "[" + std::to_string(position) + "]");
    }
    for (const auto& [name, child] : node.members) {
        arrange(child, number == 0 ? escaped_name(name) : path + "." + escaped_name(name));
    }
}

std::string ExportColumns::header(char delimiter) const {
    std::string out;
    for (const std::string& name : names_) {
        if (&name != &names_.front()) out += delimiter;
        out += needs_quotes(name, delimiter) ? quoted_cell(name) : name;
    }
    return out;
}

Result<bool> ExportColumns::append_row(std::string& out,
                                       std::string_view item,
                                       char delimiter) const {
    if (!item.starts_with('{')) return cannot_be_row("it is not an object");
    Row row{.cells = std::vector<std::string>(names_.size()), .delimiter = delimiter};
    if (has_parts(item)) fill(0, item, row);
    for (const std::string& cell : row.cells) {
        if (&cell != &row.cells.front()) out += delimiter;
        out += cell;
    }
    return row.complete;
}

void ExportColumns::fill(std::size_t number, std::string_view value, Row& row) const {
    const Node& node = nodes_[number];
    if (!has_parts(value)) {
        if (node.column == kNone) {
            row.complete = false;
        } else {
            row.cells[node.column] = cell_of(value, number == id_node_, row.delimiter);
        }
        return;
    }
    const bool object = value.starts_with('{');
    json::Walk parts(value);
    std::size_t position = 0;
    while (const auto part = parts.next()) {
        std::size_t child = kNone;
        if (object) {
            const auto found = node.member_nodes.find(json::unquote(part->name));
            if (found != node.member_nodes.end()) child = found->second;
        } else if (const auto found = node.elements.find(position++);
                   found != node.elements.end()) {
            child = found->second;
        }
        if (child == kNone) {
            row.complete = false;
        } else {
            fill(child, part->value, row);
        }
    }
}

}  // namespace orrery::tools
