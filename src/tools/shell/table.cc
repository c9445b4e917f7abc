#include "tools/shell/table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "json/text.h"
#include "json/walk.h"
#include "tools/shell/text.h"

namespace orrery::tools {

namespace {

constexpr std::string_view kValueColumn = "value";
constexpr std::string_view kSeparator = " | ";
// Columns are not made narrower than this; the last ones are left out instead.
constexpr std::size_t kNarrowest = 6;
constexpr std::array<std::string_view, 5> kSystemProperties = {
    "_rid", "_self", "_etag", "_attachments", "_ts"};

bool is_number(std::string_view json) {
    return json.starts_with('-') || (json[0] >= '0' && json[0] <= '9');
}

std::string cell_text(std::string_view json) {
    return printable(json.starts_with('"') ? json::unquote(json) : std::string(json));
}

bool is_system(std::string_view name) {
    return std::find(kSystemProperties.begin(), kSystemProperties.end(), name) !=
           kSystemProperties.end();
}

// Whether these are the properties of a whole item, not some that were asked for.
bool has_all_system_properties(std::string_view object) {
    return std::all_of(kSystemProperties.begin(), kSystemProperties.end(), [&](auto name) {
        return json::find_member(object, name).has_value();
    });
}

std::string padded(const std::string& text, std::size_t width, bool right) {
    const std::string blanks(width - std::min(width, display_width(text)), ' ');
    return right ? blanks + text : text + blanks;
}

}  // namespace

std::size_t Table::column(const std::string& name) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    names_.push_back(name);
    return names_.size() - 1;
}

void Table::set(Row& row, const std::string& name, Cell cell) {
    const std::size_t at = column(name);
    if (row.size() <= at) row.resize(at + 1);
    bytes_ += cell.text.size();
    row[at] = std::move(cell);
}

void Table::add(std::string_view element) {
    Row row;
    if (element.starts_with('{')) {
        const bool whole = has_all_system_properties(element);
        json::Walk members(element);
        while (const auto member = members.next()) {
            const std::string name = json::unquote(member->name);
            if (whole && is_system(name)) continue;
            set(row, printable(name), {cell_text(member->value), is_number(member->value)});
        }
    } else {
        set(row, std::string(kValueColumn), {cell_text(element), is_number(element)});
    }
    rows_.push_back(std::move(row));
}

// The widest columns give way first, as far as the narrowest width; then the last ones.
std::vector<std::size_t> Table::widths(std::size_t width) const {
    std::vector<std::size_t> out;
    if (names_.empty()) return out;
    for (const std::string& name : names_) {
        out.push_back(display_width(name));
    }
    for (const Row& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            out[i] = std::max(out[i], display_width(row[i].text));
        }
    }
    if (width == 0) return out;
    // No more fit in any case, and none can be wider.
    out.resize(std::min(out.size(), width / (kSeparator.size() + 1) + 1));
    for (std::size_t& column : out) {
        column = std::min(column, width);
    }
    std::size_t total =
        std::accumulate(out.begin(), out.end(), kSeparator.size() * (out.size() - 1));
    while (total > width) {
        const auto widest = std::max_element(out.begin(), out.end());
        if (*widest > kNarrowest) {
            --*widest;
            --total;
        } else if (out.size() > 1) {
            total -= out.back() + kSeparator.size();
            out.pop_back();
        } else {
            break;
        }
    }
    return out;
}

std::vector<std::string> Table::lines(std::size_t width) const {
    const std::vector<std::size_t> widths = this->widths(width);
    std::vector<std::string> out;
    const auto line = [&](const auto& cell_of) {
        std::string text;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const Cell cell = cell_of(i);
            text += i == 0 ? "" : kSeparator;
            text += padded(shortened(cell.text, widths[i]), widths[i], cell.number);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out.push_back(std::move(text));
    };
    line([&](std::size_t i) { return Cell{names_[i], false}; });
    std::string rule;
    for (std::size_t i = 0; i < widths.size(); ++i) {
        rule += (i == 0 ? "" : "-+-") + std::string(widths[i], '-');
    }
    out.push_back(std::move(rule));
    for (const Row& row : rows_) {
        line([&](std::size_t i) { return i < row.size() ? row[i] : Cell(); });
    }
    if (widths.size() < names_.size()) {
        std::string note = "(too narrow for";
        for (std::size_t i = widths.size(); i < names_.size(); ++i) {
            note += (i == widths.size() ? " " : ", ") + names_[i];
        }
        out.push_back(shortened(note + ")", width));
    }
    return out;
}

}  // namespace orrery::tools
