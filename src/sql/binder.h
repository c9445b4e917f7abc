// Turns a checked syntax tree (sql/checks.h) into a bound query: names become places in the row,
// parameters become values, constant parts are evaluated once.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/ast.h"
#include "sql/bound.h"
#include "sql/evaluator.h"
#include "sql/parameter.h"

namespace orrery::sql {

// A property computed from an item.
struct ComputedProperty {
    std::string name;
    ast::QueryPtr query;  // SELECT VALUE e FROM c
};

struct BindingContext {
    std::vector<ParameterValue> parameters;
    std::vector<ComputedProperty> computed;
    Surroundings surroundings;
};

Result<Prepared> bind(const ast::Query& query, const BindingContext& context);

// The value of an expression that depends only on parameters; nothing when it depends on a row.
class ConstantFolder {
public:
    explicit ConstantFolder(const BindingContext& context) : context_(context) {}

    // The value lives as long as the folder.
    std::optional<Value> fold(const ast::Expression& expression);

private:
    const BindingContext& context_;
    std::vector<Prepared> kept_;
};

}  // namespace orrery::sql
