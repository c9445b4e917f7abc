// The columns of a CSV file as places in an item: address.city, tags[0], a[1].b, and a backslash
// before a dot, bracket or backslash that belongs to a name.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace orrery::tools {

// Of positions in an array.
inline constexpr std::size_t kElementsMax = 10'000;

using ColumnPath = std::vector<std::variant<std::string, std::size_t>>;

Result<ColumnPath> parse_column(std::string_view name);

// Where the cells of a row go, compiled from the header. Arrays have the elements for which the
// row has values, in the order of their positions. Columns a, a.b and a[0] may all be there: each
// row has values for one kind only, since items with different shapes share a header.
class Columns {
public:
    // kBadRequest: a column that is not a path, or is there twice.
    static Result<Columns> parse(const std::vector<std::string>& header);

    std::size_t size() const { return count_; }
    // Whether this column is the item's id.
    bool is_id(std::size_t column) const { return column == id_; }

    // The item of a row. Cells without a value are absent; so are objects and arrays of such.
    // kBadRequest: a property is an object, an array and a plain value, or two of them.
    Result<json::Value> item(std::vector<std::optional<json::Value>> cells) const;

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    struct Node {
        std::string first_column;  // that leads here, as in the header
        std::size_t column = kNone;
        std::vector<std::pair<std::string, std::size_t>> members;   // → node, as in the header
        std::vector<std::pair<std::size_t, std::size_t>> elements;  // position → node, ascending
    };

    Status add(const ColumnPath& path, const std::string& name, std::size_t column);
    std::size_t child(std::size_t parent,
                      const ColumnPath::value_type& step,
                      const std::string& name);
    Result<std::optional<json::Value>> build(std::size_t node,
                                             std::vector<std::optional<json::Value>>& cells) const;

    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::map<std::pair<std::size_t, ColumnPath::value_type>, std::size_t> children_;
    std::size_t count_ = 0;
    std::size_t id_ = kNone;
};

}  // namespace orrery::tools
