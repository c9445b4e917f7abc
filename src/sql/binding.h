// Implementation of the binder: scopes of names, and one function per kind of node. Used by
// binder.cc only.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/ast.h"
#include "sql/binder.h"
#include "sql/bound.h"
#include "sql/errors.h"

namespace orrery::sql {

class Binding {
public:
    explicit Binding(const BindingContext& context);

    Result<BoundQuery> bind_query(const ast::Query& query, bool outermost);
    Result<BoundPtr> bind(const ast::Expression& expression);

    Prepared finish(BoundQuery query) &&;

private:
    // The meaning of names in a query; looked up from the inside out.
    struct Scope {
        struct Named {
            std::string name;
            std::optional<ItemPath> path;  // the item or a part of it, else the variable
            std::uint32_t variable = 0;
        };
        Scope* outer = nullptr;
        std::vector<Named> names;
        // While the output of groups is bound: the keys, and where aggregates are collected.
        std::vector<ast::ExpressionPtr> group_keys;
        std::vector<BoundAggregate>* aggregates = nullptr;
    };

    // The container itself, under a name that no query can write.
    static constexpr std::string_view kContainer = "";

    Result<BoundQuery> bind_in_scope(const ast::Query& query, bool outermost);
    Status bind_source(const ast::Source& source, BoundQuery& out);
    Status bind_presence(const ItemPath& path, BoundQuery& out);
    Status bind_filters(const ast::Query& query, BoundQuery& out);
    Status bind_output(const ast::Select& select, BoundQuery& out);
    Status bind_order(const ast::Query& query, BoundQuery& out);
    Result<std::uint64_t> count_of(const ast::Count& count, CountClause clause);
    ast::ExpressionPtr expression_of(const ast::Source& source);

    const Scope::Named* find_name(std::string_view name) const;
    // The path of the item that the expression denotes, if it is one and not a computed property.
    std::optional<ItemPath> path_of(const ast::Expression& expression);
    std::optional<ast::PathStep> step_of(const ast::Expression& index);
    BoundPtr bind_path(const ItemPath& path);
    static BoundPtr variable(std::uint32_t number);
    static BoundPtr constant(const Value& value);
    Value parameter(std::string_view name);
    Result<BoundPtr> computed(const ComputedProperty& property);

    Result<BoundPtr> node(const ast::Undefined&);
    Result<BoundPtr> node(const ast::Null&);
    Result<BoundPtr> node(const ast::Boolean& boolean);
    Result<BoundPtr> node(const ast::Number& number);
    Result<BoundPtr> node(const ast::String& string);
    Result<BoundPtr> node(const ast::Parameter& name);
    Result<BoundPtr> node(const ast::Identifier& identifier);
    Result<BoundPtr> node(const ast::Member& member);
    Result<BoundPtr> node(const ast::Subscript& subscript);
    Result<BoundPtr> node(const ast::Unary& unary);
    Result<BoundPtr> node(const ast::Binary& binary);
    Result<BoundPtr> node(const ast::Logical& logical);
    Result<BoundPtr> node(const ast::Conditional& conditional);
    Result<BoundPtr> node(const ast::In& in);
    Result<BoundPtr> node(const ast::Between& between);
    Result<BoundPtr> node(const ast::Like& like);
    Result<BoundPtr> node(const ast::Call& called);
    Result<BoundPtr> node(const ast::Array& array);
    Result<BoundPtr> node(const ast::Object& object);
    Result<BoundPtr> node(const ast::Subquery& subquery);
    Result<BoundPtr> node(const ast::Verbatim& verbatim);

    Result<BoundPtr> udf(const ast::Call& called, const Location& location);
    Result<BoundPtr> aggregate(AggregateKind kind, const ast::Expression& argument);
    Result<BoundPtr> call(std::string_view name, BoundPtr argument);
    Result<BoundPtr> negated_if(bool negated, BoundPtr expression);
    template <typename... Operands>
    Result<BoundPtr> folded(Op op, Operands... operands);
    // Replaces a constant expression with its value.
    Result<BoundPtr> fold(BoundPtr expression);

    const BindingContext& context_;
    Evaluator evaluator_;  // for constant parts
    std::unique_ptr<Arena> constants_;
    Scope* scope_ = nullptr;
    std::vector<ItemPath> paths_;
    std::map<ItemPath, std::uint64_t> path_numbers_;
    std::uint32_t variables_ = 0;
    std::vector<std::string_view> expanding_;  // computed properties, to detect cycles
};

}  // namespace orrery::sql
