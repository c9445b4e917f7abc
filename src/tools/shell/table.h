// Results as a table: a row for each, a column for each property.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::tools {

// Collects rows and lays them out.
class Table {
public:
    // A result as minified JSON. An object's properties become columns, in the order in which they
    // appear first; anything else goes to a column "value". What the server adds to items (_rid,
    // _etag ...) is left out where it is complete, because it would crowd out the rest.
    void add(std::string_view element);

    std::size_t rows() const { return rows_.size(); }
    std::size_t bytes() const { return bytes_; }

    // A heading, a rule and the rows, cut to this width; 0: not cut. Everything is printable.
    std::vector<std::string> lines(std::size_t width) const;

private:
    struct Cell {
        std::string text;  // printable
        bool number = false;
    };
    using Row = std::vector<Cell>;

    std::size_t column(const std::string& name);
    void set(Row& row, const std::string& name, Cell cell);
    std::vector<std::size_t> widths(std::size_t width) const;

    std::vector<std::string> names_;  // printable
    std::vector<Row> rows_;
    std::size_t bytes_ = 0;
};

}  // namespace orrery::tools
