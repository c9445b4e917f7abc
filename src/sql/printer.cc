#include "sql/printer.h"

#include <algorithm>
#include <string_view>

#include "json/number.h"
#include "json/text.h"
#include "sql/lexer.h"
#include "sql/literal.h"

namespace orrery::sql {

namespace {

std::string_view operator_text(ast::BinaryOperator op) {
    using Op = ast::BinaryOperator;
    switch (op) {
        case Op::kConcat:
            return "||";
        case Op::kBitOr:
            return "|";
        case Op::kBitXor:
            return "^";
        case Op::kBitAnd:
            return "&";
        case Op::kEqual:
            return "=";
        case Op::kNotEqual:
            return "!=";
        case Op::kLess:
            return "<";
        case Op::kLessOrEqual:
            return "<=";
        case Op::kGreater:
            return ">";
        case Op::kGreaterOrEqual:
            return ">=";
        case Op::kShiftLeft:
            return "<<";
        case Op::kShiftRight:
            return ">>";
        case Op::kShiftRightUnsigned:
            return ">>>";
        case Op::kAdd:
            return "+";
        case Op::kSubtract:
            return "-";
        case Op::kMultiply:
            return "*";
        case Op::kDivide:
            return "/";
        case Op::kModulo:
            return "%";
        case Op::kCoalesce:
            return "??";
    }
    return "";
}

std::string_view operator_text(ast::UnaryOperator op) {
    switch (op) {
        case ast::UnaryOperator::kMinus:
            return "-";
        case ast::UnaryOperator::kPlus:
            return "+";
        case ast::UnaryOperator::kBitNot:
            return "~";
        case ast::UnaryOperator::kNot:
            return "NOT ";
    }
    return "";
}

std::string_view keyword(ast::SubqueryKind kind) {
    switch (kind) {
        case ast::SubqueryKind::kScalar:
            return "";
        case ast::SubqueryKind::kExists:
            return "EXISTS";
        case ast::SubqueryKind::kArray:
            return "ARRAY";
        case ast::SubqueryKind::kAll:
            return "ALL";
        case ast::SubqueryKind::kFirst:
            return "FIRST";
        case ast::SubqueryKind::kLast:
            return "LAST";
    }
    return "";
}

bool is_number(const ast::Expression& expression) {
    return std::holds_alternative<ast::Number>(expression.node);
}

bool is_negative_number(const ast::Expression& expression) {
    const auto* unary = std::get_if<ast::Unary>(&expression.node);
    return unary != nullptr && unary->op == ast::UnaryOperator::kMinus &&
           is_number(*unary->operand);
}

// Deeper queries are indented no further, to bound the text to a small multiple of the query.
constexpr std::size_t kIndentMax = 10;

class Printer {
public:
    std::string take() { return std::move(out_); }

    void query(const ast::Query& query) {
        if (query.explain) out_ += "EXPLAIN ";
        select(query.select);
        for (std::size_t i = 0; i < query.from.size(); ++i) {
            line();
            out_ += i == 0 ? "FROM " : "JOIN ";
            source(query.from[i]);
        }
        if (query.where) {
            line();
            out_ += "WHERE ";
            expression(*query.where);
        }
        if (!query.group_by.empty()) {
            line();
            out_ += "GROUP BY ";
            list(query.group_by);
        }
        if (!query.order_by.empty()) order_by(query);
        if (query.offset_limit) {
            line();
            out_ += "OFFSET ";
            count(query.offset_limit->offset);
            out_ += " LIMIT ";
            count(query.offset_limit->limit);
        }
    }

    void expression(const ast::Expression& expression) {
        std::visit([&](const auto& node) { print(node); }, expression.node);
    }

private:
    void line() {
        out_ += '\n';
        out_.append(4 * std::min(indent_, kIndentMax), ' ');
    }

    void select(const ast::Select& select) {
        out_ += select.distinct ? "SELECT DISTINCT " : "SELECT ";
        if (select.top) {
            out_ += "TOP ";
            count(*select.top);
            out_ += ' ';
        }
        if (select.kind == ast::SelectKind::kStar) out_ += '*';
        if (select.kind == ast::SelectKind::kValue) out_ += "VALUE ";
        for (std::size_t i = 0; i < select.items.size(); ++i) {
            if (i != 0) out_ += ", ";
            expression(*select.items[i].expression);
            if (select.items[i].alias) out_ += " AS " + select.items[i].alias->text;
        }
    }

    void source(const ast::Source& source) {
        if (source.iterates) out_ += source.alias->text + " IN ";
        if (source.subquery) {
            subquery(*source.subquery);
        } else {
            out_ += source.root.text;
            for (const ast::PathStep& step : source.path) {
                path_step(step);
            }
        }
        if (!source.iterates && source.alias) out_ += " AS " + source.alias->text;
    }

    void path_step(const ast::PathStep& step) {
        const auto* name = std::get_if<std::string>(&step);
        if (name == nullptr) {
            out_ += '[' + std::to_string(std::get<std::uint64_t>(step)) + ']';
        } else if (is_identifier(*name)) {
            out_ += '.' + *name;
        } else {
            out_ += '[' + json::quote(*name) + ']';
        }
    }

    void order_by(const ast::Query& query) {
        line();
        out_ += query.order_by_rank ? "ORDER BY RANK " : "ORDER BY ";
        for (std::size_t i = 0; i < query.order_by.size(); ++i) {
            if (i != 0) out_ += ", ";
            const ast::OrderItem& item = query.order_by[i];
            expression(*item.expression);
            if (item.written == ast::OrderItem::Written::kAscending) out_ += " ASC";
            if (item.written == ast::OrderItem::Written::kDescending) out_ += " DESC";
        }
    }

    void count(const ast::Count& count) {
        if (const auto* number = std::get_if<std::uint64_t>(&count.value)) {
            out_ += std::to_string(*number);
        } else {
            out_ += std::get<ast::Parameter>(count.value).name;
        }
    }

    void subquery(const ast::Query& inner) {
        out_ += '(';
        ++indent_;
        line();
        query(inner);
        --indent_;
        line();
        out_ += ')';
    }

    void list(const std::vector<ast::ExpressionPtr>& expressions) {
        for (std::size_t i = 0; i < expressions.size(); ++i) {
            if (i != 0) out_ += ", ";
            expression(*expressions[i]);
        }
    }

    // The operand before .name or [index]: 5.x and -1[0] would parse differently.
    void base(const ast::Expression& base) {
        const bool wrapped = is_number(base) || is_negative_number(base);
        if (wrapped) out_ += '(';
        expression(base);
        if (wrapped) out_ += ')';
    }

    void print(const ast::Undefined& /*node*/) { out_ += "undefined"; }
    void print(const ast::Null& /*node*/) { out_ += "null"; }
    void print(const ast::Boolean& node) { out_ += node.value ? "true" : "false"; }
    void print(const ast::Number& node) { json::append_number(out_, number_value(node.digits)); }
    void print(const ast::String& node) { json::append_quoted(out_, node.value); }
    void print(const ast::Parameter& node) { out_ += node.name; }
    void print(const ast::Identifier& node) { out_ += node.name; }
    void print(const ast::Verbatim& node) { out_ += node.text; }

    void print(const ast::Member& node) {
        base(*node.base);
        if (node.dotted) {
            out_ += '.' + node.name;
        } else {
            out_ += '[' + json::quote(node.name) + ']';
        }
    }

    void print(const ast::Subscript& node) {
        base(*node.base);
        out_ += '[';
        expression(*node.index);
        out_ += ']';
    }

    void print(const ast::Unary& node) {
        const bool literal = node.op == ast::UnaryOperator::kMinus && is_number(*node.operand);
        if (!literal) out_ += '(';
        out_ += operator_text(node.op);
        // Two minus signs would begin a comment.
        if (is_negative_number(*node.operand)) out_ += ' ';
        expression(*node.operand);
        if (!literal) out_ += ')';
    }

    void print(const ast::Binary& node) {
        out_ += '(';
        expression(*node.left);
        out_ += ' ';
        out_ += operator_text(node.op);
        out_ += ' ';
        expression(*node.right);
        out_ += ')';
    }

    void print(const ast::Logical& node) {
        out_.append(node.terms.size() - 1, '(');
        expression(*node.terms.front());
        for (std::size_t i = 1; i < node.terms.size(); ++i) {
            out_ += node.is_and ? " AND " : " OR ";
            expression(*node.terms[i]);
            out_ += ')';
        }
    }

    void print(const ast::Conditional& node) {
        out_ += '(';
        expression(*node.condition);
        out_ += " ? ";
        expression(*node.then);
        out_ += " : ";
        expression(*node.otherwise);
        out_ += ')';
    }

    void print(const ast::In& node) {
        out_ += '(';
        expression(*node.needle);
        out_ += node.negated ? " NOT IN (" : " IN (";
        list(node.list);
        out_ += "))";
    }

    void print(const ast::Between& node) {
        out_ += '(';
        expression(*node.operand);
        out_ += node.negated ? " NOT BETWEEN " : " BETWEEN ";
        expression(*node.low);
        out_ += " AND ";
        expression(*node.high);
        out_ += ')';
    }

    void print(const ast::Like& node) {
        out_ += '(';
        expression(*node.operand);
        out_ += node.negated ? " NOT LIKE " : " LIKE ";
        expression(*node.pattern);
        if (node.escape) out_ += " ESCAPE " + json::quote(*node.escape);
        out_ += ')';
    }

    void print(const ast::Call& node) {
        if (node.udf) out_ += "udf.";
        out_ += node.name;
        out_ += '(';
        list(node.arguments);
        out_ += ')';
    }

    void print(const ast::Array& node) {
        out_ += '[';
        list(node.elements);
        out_ += ']';
    }

    void print(const ast::Object& node) {
        out_ += '{';
        for (std::size_t i = 0; i < node.properties.size(); ++i) {
            if (i != 0) out_ += ", ";
            json::append_quoted(out_, node.properties[i].name.text);
            out_ += ": ";
            expression(*node.properties[i].value);
        }
        out_ += '}';
    }

    void print(const ast::Subquery& node) {
        out_ += keyword(node.kind);
        subquery(*node.query);
    }

    std::string out_;
    std::size_t indent_ = 0;
};

}  // namespace

std::string print(const ast::Query& query) {
    Printer printer;
    printer.query(query);
    return printer.take();
}

std::string print(const ast::Expression& expression) {
    Printer printer;
    printer.expression(expression);
    return printer.take();
}

}  // namespace orrery::sql
