#include "sql/ast.h"

namespace orrery::sql::ast {

namespace {

using See = std::function<void(const Expression&)>;

void see_all(const std::vector<ExpressionPtr>& expressions, const See& see) {
    for (const ExpressionPtr& expression : expressions) {
        see(*expression);
    }
}

struct Children {
    const See& see;

    template <typename Leaf>
    void operator()(const Leaf&) const {}
    void operator()(const Member& member) const { see(*member.base); }
    void operator()(const Subscript& subscript) const {
        see(*subscript.base);
        see(*subscript.index);
    }
    void operator()(const Unary& unary) const { see(*unary.operand); }
    void operator()(const Binary& binary) const {
        see(*binary.left);
        see(*binary.right);
    }
    void operator()(const Logical& logical) const { see_all(logical.terms, see); }
    void operator()(const Conditional& conditional) const {
        see(*conditional.condition);
        see(*conditional.then);
        see(*conditional.otherwise);
    }
    void operator()(const In& in) const {
        see(*in.needle);
        see_all(in.list, see);
    }
    void operator()(const Between& between) const {
        see(*between.operand);
        see(*between.low);
        see(*between.high);
    }
    void operator()(const Like& like) const {
        see(*like.operand);
        see(*like.pattern);
    }
    void operator()(const Call& call) const { see_all(call.arguments, see); }
    void operator()(const Array& array) const { see_all(array.elements, see); }
    void operator()(const Object& object) const {
        for (const Property& property : object.properties) {
            see(*property.value);
        }
    }
};

}  // namespace

void for_each_child(const Expression& expression, const See& see) {
    std::visit(Children{see}, expression.node);
}

std::optional<std::string> source_alias(const Source& source) {
    if (source.alias) return source.alias->text;
    if (source.subquery) return std::nullopt;
    for (auto step = source.path.rbegin(); step != source.path.rend(); ++step) {
        if (const auto* name = std::get_if<std::string>(&*step)) return *name;
    }
    return source.root.text;
}

}  // namespace orrery::sql::ast
