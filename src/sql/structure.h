// Structural equality of parts of a query, ignoring their place in the text, the case of built-in
// function names, c.a or c["a"], 1 or 1.0.

#pragma once

#include <cstddef>
#include <unordered_map>

#include "sql/ast.h"

namespace orrery::sql {

bool same_structure(const ast::Expression& a, const ast::Expression& b);
bool same_structure(const ast::Query& a, const ast::Query& b);

// Hashes that are equal for expressions of the same structure, each computed once: comparing every
// part of one expression with others by same_structure could take very long.
class StructureHashes {
public:
    std::size_t of(const ast::Expression& expression);

private:
    std::unordered_map<const ast::Expression*, std::size_t> known_;
};

}  // namespace orrery::sql
