// The passes behind sql/checks.h. Each walks the whole query and adds the errors it finds.

#pragma once

#include <string>
#include <vector>

#include "sql/ast.h"
#include "sql/checks.h"
#include "sql/errors.h"

namespace orrery::sql {

class Diagnostics {
public:
    void add(std::string code, std::string message, std::optional<Location> location) {
        if (list_.size() < kMax) {
            list_.push_back({std::move(code), std::move(message), location});
        }
    }
    const std::vector<Diagnostic>& list() const { return list_; }

private:
    // A query of half a megabyte can contain a great many errors.
    static constexpr std::size_t kMax = 100;
    std::vector<Diagnostic> list_;
};

// Clauses not allowed in subqueries, and the rules of ORDER BY RANK.
void check_clauses(const ast::Query& query, Diagnostics& out);

// Aliases, SELECT *, DOCUMENTID.
void check_names(const ast::Query& query, Diagnostics& out);

// Functions and their argument counts, subscripts, ESCAPE.
void check_calls(const ast::Query& query, const CheckOptions& options, Diagnostics& out);

// Where aggregates are allowed, and what may be selected alongside them and GROUP BY.
void check_grouping(const ast::Query& query, Diagnostics& out);

// Duplicate names in a select list or an object.
void check_duplicates(const ast::Query& query, Diagnostics& out);

// The ORDER BY of the outermost query.
void check_order_by(const ast::Query& query, Diagnostics& out);

}  // namespace orrery::sql
