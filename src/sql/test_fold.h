// Test support: evaluates literals and parameters, so that plans can be tested without the
// evaluator.

#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/ast.h"
#include "sql/literal.h"
#include "sql/parameter.h"
#include "sql/partition_key_filter.h"
#include "sql/value.h"

namespace orrery::sql {

class TestFold {
public:
    explicit TestFold(std::vector<ParameterValue> parameters = {})
        : parameters_(std::move(parameters)) {}

    Fold function() {
        return [this](const ast::Expression& expression) { return fold(expression); };
    }

    std::optional<Value> fold(const ast::Expression& expression) {
        return std::visit([this](const auto& node) { return value(node); }, expression.node);
    }

private:
    template <typename Node>
    std::optional<Value> value(const Node& /*node*/) {
        return std::nullopt;
    }
    std::optional<Value> value(const ast::Undefined& /*node*/) { return Value::undefined(); }
    std::optional<Value> value(const ast::Null& /*node*/) { return Value::null(); }
    std::optional<Value> value(const ast::Boolean& node) { return Value::boolean(node.value); }
    std::optional<Value> value(const ast::Number& node) {
        return Value::number(number_value(node.digits));
    }
    std::optional<Value> value(const ast::String& node) {
        return Value::string(texts_.emplace_back(node.value));
    }
    std::optional<Value> value(const ast::Unary& node) {
        const auto operand = fold(*node.operand);
        if (!operand || !operand->is_number()) return std::nullopt;
        return Value::number(json::Number(-operand->number().real()));
    }
    std::optional<Value> value(const ast::Array& node) {
        auto elements = arena_.array<Value>(node.elements.size());
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const auto element = fold(*node.elements[i]);
            if (!element) return std::nullopt;
            std::construct_at(&elements[i], *element);
        }
        return Value::array(elements);
    }
    std::optional<Value> value(const ast::Object& node) {
        for (const ast::Property& property : node.properties) {
            if (!fold(*property.value)) return std::nullopt;
        }
        return Value::object({});  // its content does not matter to plans
    }
    std::optional<Value> value(const ast::Parameter& node) {
        for (const ParameterValue& parameter : parameters_) {
            if (parameter.name == node.name) return Value::from_json(parameter.json, arena_);
        }
        return Value::undefined();
    }

    std::vector<ParameterValue> parameters_;
    std::deque<std::string> texts_;
    Arena arena_;
};

}  // namespace orrery::sql
