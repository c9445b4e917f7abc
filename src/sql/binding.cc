#include "sql/binding.h"

#include <algorithm>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sql/canonical.h"
#include "sql/errors.h"
#include "sql/literal.h"
#include "sql/structure.h"

namespace orrery::sql {

Binding::Binding(const BindingContext& context)
    : context_(context),
      evaluator_(0, context.surroundings),
      constants_(std::make_unique<Arena>(evaluator_.budget())) {
    evaluator_.exchange_arena(constants_.get());
}

Prepared Binding::finish(BoundQuery query) && {
    // A prepared query may be run with another budget.
    constants_->detach();
    return {.constants = std::move(constants_),
            .query = std::move(query),
            .paths = std::move(paths_),
            .variables = variables_};
}

Result<BoundPtr> Binding::bind(const ast::Expression& expression) {
    if (scope_ != nullptr && scope_->aggregates != nullptr) {
        const auto& keys = scope_->group_keys;
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (!same_structure(*keys[i], expression)) continue;
            auto out = std::make_unique<BoundExpression>();
            out->op = Op::kGroupKey;
            out->number = i;
            return out;
        }
    }
    if (auto path = path_of(expression)) return bind_path(*path);
    const auto* called = std::get_if<ast::Call>(&expression.node);
    if (called != nullptr && called->udf) return udf(*called, expression.location);
    return std::visit([this](const auto& kind) { return node(kind); }, expression.node);
}

const Binding::Scope::Named* Binding::find_name(std::string_view name) const {
    for (const Scope* scope = scope_; scope != nullptr; scope = scope->outer) {
        for (auto named = scope->names.rbegin(); named != scope->names.rend(); ++named) {
            if (named->name == name) return &*named;
        }
    }
    return nullptr;
}

std::optional<ItemPath> Binding::path_of(const ast::Expression& expression) {
    if (const auto* identifier = std::get_if<ast::Identifier>(&expression.node)) {
        if (identifier->name == kContainer) return ItemPath{};
        const Scope::Named* named = find_name(identifier->name);
        return named == nullptr ? std::nullopt : named->path;
    }
    std::optional<ItemPath> base;
    std::optional<ast::PathStep> step;
    if (const auto* member = std::get_if<ast::Member>(&expression.node)) {
        base = path_of(*member->base);
        step = member->name;
    } else if (const auto* subscript = std::get_if<ast::Subscript>(&expression.node)) {
        base = path_of(*subscript->base);
        if (base) step = step_of(*subscript->index);
    }
    if (!base || !step) return std::nullopt;
    base->push_back(*std::move(step));
    return base;
}

// A position or a name; nothing when it is neither, or depends on the row.
std::optional<ast::PathStep> Binding::step_of(const ast::Expression& index) {
    const auto bound = bind(index);
    if (!bound || (*bound)->op != Op::kConstant) return std::nullopt;
    const Value value = (*bound)->constant;
    if (value.is_string()) return std::string(value.string());
    if (value.is_number() && value.number().is_integer() && value.number().integer() >= 0) {
        return static_cast<std::uint64_t>(value.number().integer());
    }
    return std::nullopt;
}

namespace {

BoundPtr step_into(BoundPtr value, const ast::PathStep& step) {
    auto out = std::make_unique<BoundExpression>();
    if (const auto* name = std::get_if<std::string>(&step)) {
        out->op = Op::kMember;
        out->name = *name;
    } else {
        out->op = Op::kElement;
        out->number = std::get<std::uint64_t>(step);
    }
    out->operands.push_back(std::move(value));
    return out;
}

}  // namespace

BoundPtr Binding::bind_path(const ItemPath& path) {
    if (!path.empty()) {
        const auto* first = std::get_if<std::string>(&path.front());
        for (const ComputedProperty& property : context_.computed) {
            if (first == nullptr || property.name != *first) continue;
            auto value = computed(property);
            if (!value) break;
            BoundPtr out = std::move(value).take();
            for (std::size_t i = 1; i < path.size(); ++i) {
                out = step_into(std::move(out), path[i]);
            }
            return out;
        }
    }
    const auto [place, is_new] = path_numbers_.try_emplace(path, paths_.size());
    if (is_new) paths_.push_back(path);
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kPath;
    out->number = place->second;
    return out;
}

// Binds the definition's expression, with its own name for the item.
Result<BoundPtr> Binding::computed(const ComputedProperty& property) {
    if (std::find(expanding_.begin(), expanding_.end(), property.name) != expanding_.end()) {
        return plain_query_error("Computed property '" + property.name + "' refers to itself.");
    }
    expanding_.push_back(property.name);
    Scope scope{.outer = nullptr, .names = {}, .group_keys = {}, .aggregates = nullptr};
    scope.names.push_back(
        {ast::source_alias(property.query->from.front()).value_or(""), ItemPath{}, 0});
    Scope* outer = std::exchange(scope_, &scope);
    auto out = bind(*property.query->select.items.front().expression);
    scope_ = outer;
    expanding_.pop_back();
    return out;
}

BoundPtr Binding::variable(std::uint32_t number) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kVariable;
    out->number = number;
    return out;
}

BoundPtr Binding::constant(const Value& value) {
    auto out = std::make_unique<BoundExpression>();
    out->constant = value;
    return out;
}

// A parameter that was not given is undefined.
Value Binding::parameter(std::string_view name) {
    for (const ParameterValue& given : context_.parameters) {
        if (given.name == name) return Value::from_json(constants_->copy(given.json), *constants_);
    }
    return Value::undefined();
}

Result<BoundPtr> Binding::fold(BoundPtr expression) {
    const bool constant_operands = std::all_of(
        expression->operands.begin(), expression->operands.end(), [](const BoundPtr& operand) {
            return operand->op == Op::kConstant;
        });
    if (!constant_operands || !is_deterministic(*expression)) return expression;
    const Value value = evaluator_.evaluate(*expression);
    TRY(evaluator_.take_status());
    // The value may point to names in the expression, which is destroyed now.
    return constant(copy(value, *constants_));
}

template <typename... Operands>
Result<BoundPtr> Binding::folded(Op op, Operands... operands) {
    auto out = std::make_unique<BoundExpression>();
    out->op = op;
    (out->operands.push_back(std::move(operands)), ...);
    return fold(std::move(out));
}

Result<BoundPtr> Binding::negated_if(bool negated, BoundPtr expression) {
    if (!negated) return expression;
    return folded(Op::kUnary, std::move(expression));
}

Result<BoundPtr> Binding::node(const ast::Undefined&) { return constant(Value::undefined()); }
Result<BoundPtr> Binding::node(const ast::Null&) { return constant(Value::null()); }
Result<BoundPtr> Binding::node(const ast::Boolean& boolean) {
    return constant(Value::boolean(boolean.value));
}
Result<BoundPtr> Binding::node(const ast::Number& number) {
    return constant(Value::number(number_value(number.digits)));
}
Result<BoundPtr> Binding::node(const ast::String& string) {
    return constant(Value::string(constants_->copy(string.value)));
}
Result<BoundPtr> Binding::node(const ast::Parameter& name) {
    return constant(parameter(name.name));
}

Result<BoundPtr> Binding::node(const ast::Identifier& identifier) {
    const Scope::Named* named = find_name(identifier.name);
    if (named == nullptr) {
        return query_error(
            "SC2001", "Identifier '" + identifier.name + "' could not be resolved.", std::nullopt);
    }
    return variable(named->variable);
}

Result<BoundPtr> Binding::node(const ast::Member& member) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kMember;
    out->name = member.name;
    out->operands.push_back(TRY(bind(*member.base)));
    return fold(std::move(out));
}

Result<BoundPtr> Binding::node(const ast::Subscript& subscript) {
    auto out = std::make_unique<BoundExpression>();
    const auto step = step_of(*subscript.index);
    if (!step) return constant(Value::undefined());
    if (const auto* name = std::get_if<std::string>(&*step)) {
        out->op = Op::kMember;
        out->name = *name;
    } else {
        out->op = Op::kElement;
        out->number = std::get<std::uint64_t>(*step);
    }
    out->operands.push_back(TRY(bind(*subscript.base)));
    return fold(std::move(out));
}

Result<BoundPtr> Binding::node(const ast::Unary& unary) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kUnary;
    out->unary = unary.op;
    out->operands.push_back(TRY(bind(*unary.operand)));
    return fold(std::move(out));
}

Result<BoundPtr> Binding::node(const ast::Binary& binary) {
    auto out = std::make_unique<BoundExpression>();
    out->op = binary.op == ast::BinaryOperator::kCoalesce ? Op::kCoalesce : Op::kBinary;
    out->binary = binary.op;
    out->operands.push_back(TRY(bind(*binary.left)));
    out->operands.push_back(TRY(bind(*binary.right)));
    return fold(std::move(out));
}

Result<BoundPtr> Binding::node(const ast::Logical& logical) {
    auto out = std::make_unique<BoundExpression>();
    out->op = logical.is_and ? Op::kAnd : Op::kOr;
    for (const ast::ExpressionPtr& term : logical.terms) {
        out->operands.push_back(TRY(bind(*term)));
    }
    return fold(std::move(out));
}

Result<BoundPtr> Binding::node(const ast::Conditional& conditional) {
    BoundPtr condition = TRY(bind(*conditional.condition));
    BoundPtr then = TRY(bind(*conditional.then));
    BoundPtr otherwise = TRY(bind(*conditional.otherwise));
    return folded(Op::kConditional, std::move(condition), std::move(then), std::move(otherwise));
}

// x BETWEEN a AND b is (x >= a) AND (x <= b).
Result<BoundPtr> Binding::node(const ast::Between& between) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kAnd;
    for (const bool low : {true, false}) {
        auto side = std::make_unique<BoundExpression>();
        side->op = Op::kBinary;
        side->binary =
            low ? ast::BinaryOperator::kGreaterOrEqual : ast::BinaryOperator::kLessOrEqual;
        side->operands.push_back(TRY(bind(*between.operand)));
        side->operands.push_back(TRY(bind(low ? *between.low : *between.high)));
        out->operands.push_back(TRY(fold(std::move(side))));
    }
    return negated_if(between.negated, TRY(fold(std::move(out))));
}

// A long list of constants becomes a set.
Result<BoundPtr> Binding::node(const ast::In& in) {
    constexpr std::size_t kShortList = 8;
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kIn;
    out->operands.push_back(TRY(bind(*in.needle)));
    for (const ast::ExpressionPtr& element : in.list) {
        out->operands.push_back(TRY(bind(*element)));
    }
    const bool all_constant =
        std::all_of(out->operands.begin() + 1, out->operands.end(), [](const BoundPtr& element) {
            return element->op == Op::kConstant;
        });
    if (all_constant && in.list.size() > kShortList) {
        auto set = std::make_shared<std::unordered_set<std::string>>();
        for (std::size_t i = 1; i < out->operands.size(); ++i) {
            const Value element = out->operands[i]->constant;
            if (element.is_undefined()) continue;
            std::string bytes;
            append_canonical(bytes, element, *constants_);
            set->insert(std::move(bytes));
        }
        out->op = Op::kInConstants;
        out->set = std::move(set);
    }
    return negated_if(in.negated, TRY(fold(std::move(out))));
}

Result<BoundPtr> Binding::node(const ast::Like& like) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kLike;
    if (like.escape) {
        std::string_view rest = *like.escape;
        out->escape = rest.empty() ? std::nullopt : take_code_point(rest);
    }
    out->operands.push_back(TRY(bind(*like.operand)));
    out->operands.push_back(TRY(bind(*like.pattern)));
    const BoundExpression& pattern = *out->operands.back();
    if (pattern.op == Op::kConstant && pattern.constant.is_string()) {
        out->pattern.emplace(pattern.constant.string(), out->escape);
    }
    return negated_if(like.negated, TRY(fold(std::move(out))));
}

Result<BoundPtr> Binding::node(const ast::Call& called) {
    if (const auto kind = find_aggregate(called.name)) {
        return aggregate(*kind, *called.arguments.front());
    }
    auto out = std::make_unique<BoundExpression>();
    if (same_word(called.name, "DOCUMENTID")) {
        out->op = Op::kItemNumber;
        return out;
    }
    out->function = find_function(called.name);
    if (out->function == nullptr) {
        return query_error("SC2005",
                           "'" + called.name + "' is not a recognized built-in function name.",
                           std::nullopt);
    }
    out->op = Op::kCall;
    out->name = called.name;
    for (const ast::ExpressionPtr& argument : called.arguments) {
        out->operands.push_back(TRY(bind(*argument)));
    }
    return fold(std::move(out));
}

// Never a constant: a UDF need not give the same result twice.
Result<BoundPtr> Binding::udf(const ast::Call& called, const Location& location) {
    const auto refused = [&](const std::string& why) {
        return query_error("", "The user-defined function '" + called.name + "' " + why, location);
    };
    UdfCaller* udfs = context_.surroundings.udfs;
    if (udfs == nullptr) return refused("cannot be called here: only queries on items can do so.");
    const auto number = TRY(udfs->find(called.name));
    if (!number) return refused("could not be found.");
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kUdf;
    out->number = *number;
    for (const ast::ExpressionPtr& argument : called.arguments) {
        out->operands.push_back(TRY(bind(*argument)));
    }
    return out;
}

Result<BoundPtr> Binding::call(std::string_view name, BoundPtr argument) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kCall;
    out->name = name;
    out->function = find_function(name);
    out->operands.push_back(std::move(argument));
    return fold(std::move(out));
}

// The argument is evaluated on rows, not on groups.
Result<BoundPtr> Binding::aggregate(AggregateKind kind, const ast::Expression& argument) {
    if (scope_ == nullptr || scope_->aggregates == nullptr) {
        return query_error("SC2101",
                           "Cannot perform an aggregate function on an expression containing an "
                           "aggregate or a subquery.",
                           std::nullopt);
    }
    std::vector<BoundAggregate>* aggregates = std::exchange(scope_->aggregates, nullptr);
    auto bound = bind(argument);
    scope_->aggregates = aggregates;
    BoundPtr bound_argument = TRY(std::move(bound));
    aggregates->push_back({kind, std::move(bound_argument)});
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kAggregate;
    out->number = aggregates->size() - 1;
    return out;
}

Result<BoundPtr> Binding::node(const ast::Array& array) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kArray;
    for (const ast::ExpressionPtr& element : array.elements) {
        out->operands.push_back(TRY(bind(*element)));
    }
    return fold(std::move(out));
}

Result<BoundPtr> Binding::node(const ast::Object& object) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kObject;
    for (const ast::Property& property : object.properties) {
        out->names.push_back(property.name.text);
        out->operands.push_back(TRY(bind(*property.value)));
    }
    return fold(std::move(out));
}

Result<BoundPtr> Binding::node(const ast::Subquery& subquery) {
    auto out = std::make_unique<BoundExpression>();
    out->op = Op::kSubquery;
    out->subquery = subquery.kind;
    out->query = std::make_unique<BoundQuery>(TRY(bind_query(*subquery.query, false)));
    return out;
}

Result<BoundPtr> Binding::node(const ast::Verbatim& verbatim) {
    return plain_query_error("'" + verbatim.text + "' must be replaced before the query is run.");
}

}  // namespace orrery::sql
