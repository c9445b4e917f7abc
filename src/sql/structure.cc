#include "sql/structure.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/ascii.h"
#include "sql/literal.h"

namespace orrery::sql {

namespace {

bool same(const ast::ExpressionPtr& a, const ast::ExpressionPtr& b) {
    if (a == b) return true;
    return a && b && same_structure(*a, *b);
}

bool same(const ast::QueryPtr& a, const ast::QueryPtr& b) {
    if (a == b) return true;
    return a && b && same_structure(*a, *b);
}

bool same(const ast::Property& a, const ast::Property& b);
bool same(const ast::SelectItem& a, const ast::SelectItem& b);
bool same(const ast::Source& a, const ast::Source& b);
bool same(const ast::OrderItem& a, const ast::OrderItem& b);

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(
        a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

bool same(const ast::Undefined& /*a*/, const ast::Undefined& /*b*/) { return true; }
bool same(const ast::Null& /*a*/, const ast::Null& /*b*/) { return true; }
bool same(const ast::Boolean& a, const ast::Boolean& b) { return a.value == b.value; }
bool same(const ast::Number& a, const ast::Number& b) {
    return a.digits == b.digits || number_value(a.digits) == number_value(b.digits);
}
bool same(const ast::String& a, const ast::String& b) { return a.value == b.value; }
bool same(const ast::Parameter& a, const ast::Parameter& b) { return a.name == b.name; }
bool same(const ast::Identifier& a, const ast::Identifier& b) { return a.name == b.name; }
bool same(const ast::Member& a, const ast::Member& b) {
    return a.name == b.name && same(a.base, b.base);
}
bool same(const ast::Subscript& a, const ast::Subscript& b) {
    return same(a.base, b.base) && same(a.index, b.index);
}
bool same(const ast::Unary& a, const ast::Unary& b) {
    return a.op == b.op && same(a.operand, b.operand);
}
bool same(const ast::Binary& a, const ast::Binary& b) {
    return a.op == b.op && same(a.left, b.left) && same(a.right, b.right);
}
bool same(const ast::Logical& a, const ast::Logical& b) {
    return a.is_and == b.is_and && same(a.terms, b.terms);
}
bool same(const ast::Conditional& a, const ast::Conditional& b) {
    return same(a.condition, b.condition) && same(a.then, b.then) && same(a.otherwise, b.otherwise);
}
bool same(const ast::In& a, const ast::In& b) {
    return a.negated == b.negated && same(a.needle, b.needle) && same(a.list, b.list);
}
bool same(const ast::Between& a, const ast::Between& b) {
    return a.negated == b.negated && same(a.operand, b.operand) && same(a.low, b.low) &&
           same(a.high, b.high);
}
bool same(const ast::Like& a, const ast::Like& b) {
    return a.negated == b.negated && a.escape == b.escape && same(a.operand, b.operand) &&
           same(a.pattern, b.pattern);
}
bool same(const ast::Call& a, const ast::Call& b) {
    const bool name = a.udf ? a.name == b.name : same_word(a.name, b.name);
    return a.udf == b.udf && name && same(a.arguments, b.arguments);
}
bool same(const ast::Array& a, const ast::Array& b) { return same(a.elements, b.elements); }
bool same(const ast::Property& a, const ast::Property& b) {
    return a.name.text == b.name.text && same(a.value, b.value);
}
bool same(const ast::Object& a, const ast::Object& b) { return same(a.properties, b.properties); }
bool same(const ast::Subquery& a, const ast::Subquery& b) {
    return a.kind == b.kind && same(a.query, b.query);
}
bool same(const ast::Verbatim& a, const ast::Verbatim& b) { return a.text == b.text; }

bool same(const std::optional<ast::Name>& a, const std::optional<ast::Name>& b) {
    return a.has_value() == b.has_value() && (!a || a->text == b->text);
}

bool same(const ast::Count& a, const ast::Count& b) {
    const auto* left = std::get_if<ast::Parameter>(&a.value);
    const auto* right = std::get_if<ast::Parameter>(&b.value);
    if (left != nullptr || right != nullptr) {
        return left != nullptr && right != nullptr && left->name == right->name;
    }
    return std::get<std::uint64_t>(a.value) == std::get<std::uint64_t>(b.value);
}

bool same(const ast::SelectItem& a, const ast::SelectItem& b) {
    return same(a.expression, b.expression) && same(a.alias, b.alias);
}

bool same(const ast::Select& a, const ast::Select& b) {
    return a.distinct == b.distinct && a.kind == b.kind && a.top.has_value() == b.top.has_value() &&
           (!a.top || same(*a.top, *b.top)) && same(a.items, b.items);
}

bool same(const ast::Source& a, const ast::Source& b) {
    return a.root.text == b.root.text && a.path == b.path && a.iterates == b.iterates &&
           same(a.alias, b.alias) && same(a.subquery, b.subquery);
}

bool same(const ast::OrderItem& a, const ast::OrderItem& b) {
    return a.written == b.written && same(a.expression, b.expression);
}

bool same(const std::optional<ast::OffsetLimit>& a, const std::optional<ast::OffsetLimit>& b) {
    if (!a || !b) return a.has_value() == b.has_value();
    return same(a->offset, b->offset) && same(a->limit, b->limit);
}

}  // namespace

bool same_structure(const ast::Expression& a, const ast::Expression& b) {
    return a.node.index() == b.node.index() &&
           std::visit(
               [&](const auto& node) {
                   return same(node, std::get<std::decay_t<decltype(node)>>(b.node));
               },
               a.node);
}

bool same_structure(const ast::Query& a, const ast::Query& b) {
    return a.explain == b.explain && a.order_by_rank == b.order_by_rank &&
           same(a.select, b.select) && same(a.from, b.from) && same(a.where, b.where) &&
           same(a.group_by, b.group_by) && same(a.order_by, b.order_by) &&
           same(a.offset_limit, b.offset_limit);
}

namespace {

// The hash of a node without its children; queries are left to same_structure.
struct OwnHash {
    std::size_t operator()(const ast::Boolean& node) const { return node.value ? 1 : 2; }
    std::size_t operator()(const ast::Number& node) const {
        return std::hash<double>()(number_value(node.digits).real());
    }
    std::size_t operator()(const ast::String& node) const { return text(node.value); }
    std::size_t operator()(const ast::Parameter& node) const { return text(node.name); }
    std::size_t operator()(const ast::Identifier& node) const { return text(node.name); }
    std::size_t operator()(const ast::Member& node) const { return text(node.name); }
    std::size_t operator()(const ast::Call& node) const { return text(lower(node.name)); }
    std::size_t operator()(const ast::Unary& node) const {
        return static_cast<std::size_t>(node.op);
    }
    std::size_t operator()(const ast::Binary& node) const {
        return static_cast<std::size_t>(node.op);
    }
    template <typename Other>
    std::size_t operator()(const Other& /*node*/) const {
        return 0;
    }

    static std::size_t text(std::string_view text) { return std::hash<std::string_view>()(text); }
};

std::size_t mixed(std::size_t a, std::size_t b) { return (a ^ b) * 0x9E3779B97F4A7C15U + (a >> 7); }

}  // namespace

std::size_t StructureHashes::of(const ast::Expression& expression) {
    if (const auto found = known_.find(&expression); found != known_.end()) return found->second;
    std::size_t hash = mixed(expression.node.index(), std::visit(OwnHash{}, expression.node));
    ast::for_each_child(expression,
                        [&](const ast::Expression& child) { hash = mixed(hash, of(child)); });
    known_.emplace(&expression, hash);
    return hash;
}

}  // namespace orrery::sql
