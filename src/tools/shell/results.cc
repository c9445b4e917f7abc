#include "tools/shell/results.h"

#include "json/walk.h"

namespace orrery::tools {

namespace {

// Widths are computed over this much; then a new table begins.
constexpr std::size_t kTableRowsMax = 1000;
constexpr std::size_t kTableBytesMax = std::size_t{4} << 20;
constexpr std::size_t kIndent = 2;

void append_indented(std::string& out, std::string_view json, std::size_t depth) {
    const bool object = json.starts_with('{');
    if ((!object && !json.starts_with('[')) || json.size() == 2) {
        out += json;
        return;
    }
    out += json.front();
    json::Walk pieces(json);
    bool first = true;
    while (const auto piece = pieces.next()) {
        out += first ? "\n" : ",\n";
        first = false;
        out.append((depth + 1) * kIndent, ' ');
        if (object) out.append(piece->name).append(": ");
        append_indented(out, piece->value, depth + 1);
    }
    out += '\n';
    out.append(depth * kIndent, ' ');
    out += json.back();
}

}  // namespace

std::string indented(std::string_view json) {
    std::string out;
    append_indented(out, json, 0);
    return out;
}

bool Results::add(std::string_view element) {
    ++count_;
    switch (mode_) {
        case Mode::kTable:
            if (!table_) table_.emplace();
            table_->add(element);
            if (table_->rows() >= (screen_.has_pages() ? kItemsAtOnce : kTableRowsMax) ||
                table_->bytes() >= kTableBytesMax) {
                print_table();
            }
            break;
        case Mode::kJson:
            if (count_ == 1) screen_.line("[");
            if (count_ > 1) print_previous(",");
            previous_ = element;
            break;
        case Mode::kLines:
            screen_.line(element);
            break;
    }
    return !screen_.stopped();
}

void Results::finish() {
    if (table_) print_table();
    if (mode_ != Mode::kJson) return;
    if (count_ == 0) {
        screen_.line("[]");
        return;
    }
    if (print_previous("")) screen_.line("]");
}

void Results::print_table() {
    for (const std::string& line : table_->lines(screen_.columns())) {
        if (!screen_.line(line)) break;
    }
    table_.reset();
}

bool Results::print_previous(std::string_view end) {
    std::string text = "  ";
    append_indented(text, previous_, 1);
    text += end;
    return screen_.lines(text);
}

}  // namespace orrery::tools
