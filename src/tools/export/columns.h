// The columns of a CSV file that is written, and the rows of items in it: what the import reads
// (import/columns.h), so that an item comes back as it was.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace orrery::tools {

class ExportColumns {
public:
    // Columns by name, in this order. kBadRequest: one is not a path, or is there twice.
    static Result<ExportColumns> parse(const std::vector<std::string>& names);

    // Adds columns for all values of an item; arrange() puts them in order. kBadRequest: the item
    // cannot be a row. `item` is validated and minified.
    Status cover(std::string_view item);
    void arrange();

    // Both without the line end.
    std::string header(char delimiter) const;
    // False if the item has values without a column, which the row lacks.
    Result<bool> append_row(std::string& out, std::string_view item, char delimiter) const;

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    struct Node {
        bool is_column = false;
        std::size_t column = kNone;
        std::vector<std::pair<std::string, std::size_t>> members;  // → node, as they were added
        std::map<std::string, std::size_t, std::less<>> member_nodes;
        std::map<std::size_t, std::size_t> elements;  // position → node
    };
    struct Row {
        std::vector<std::string> cells;
        char delimiter = ',';
        bool complete = true;
    };

    std::size_t member(std::size_t parent, const std::string& name);
    std::size_t element(std::size_t parent, std::size_t position);
    Status cover(std::size_t node, std::string_view value);
    void arrange(std::size_t node, const std::string& path);
    void fill(std::size_t node, std::string_view value, Row& row) const;

    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::size_t id_node_ = kNone;
    std::vector<std::string> names_;  // of the columns
    std::size_t count_ = 0;           // with those that arrange() has not seen yet
};

}  // namespace orrery::tools
