#include "sql/plan/condition.h"

#include <algorithm>
#include <optional>

#include "sql/evaluator.h"
#include "sql/index_value.h"
#include "sql/plan/conjunction.h"

namespace orrery::sql {

namespace {

using ast::BinaryOperator;
using index::ValueBounds;
using Kind = Condition::Kind;
using Reach = Condition::Reach;

// IN lists up to this length are looked up value by value; longer ones are evaluated per item.
constexpr std::size_t kListMax = 10'000;

Condition make_none() {
    Condition out;
    out.kind = Kind::kNone;
    out.exact = true;
    return out;
}

BinaryOperator mirrored(BinaryOperator op) {
    switch (op) {
        case BinaryOperator::kLess:
            return BinaryOperator::kGreater;
        case BinaryOperator::kLessOrEqual:
            return BinaryOperator::kGreaterOrEqual;
        case BinaryOperator::kGreater:
            return BinaryOperator::kLess;
        case BinaryOperator::kGreaterOrEqual:
            return BinaryOperator::kLessOrEqual;
        default:
            return op;
    }
}

class Deriver {
public:
    explicit Deriver(std::span<const ItemPath> paths) : paths_(paths) {}

    Condition all_of(const BoundQuery& query) {
        for (const BoundSource& source : query.sources) {
            learn(source);
        }
        Condition out;
        out.kind = Kind::kAnd;
        out.exact = query.sources.empty();
        for (const BoundPtr& filter : query.filters) {
            add_part(out, derive(*filter));
        }
        // A JOIN over an array drops the items where the array is missing or empty.
        for (const BoundSource& source : query.sources) {
            const auto place = elements_.find(source.variable);
            if (place == elements_.end()) continue;
            add_part(out, on_path({place->second, false}, {index::any_defined()}, Reach::kWide));
        }
        return out;
    }

private:
    struct Place {
        model::IndexPath path;
        bool whole = true;  // no array along the path
    };

    // Variables that iterate over an array of the item.
    void learn(const BoundSource& source) {
        if (source.kind != BoundSource::Kind::kElements) return;
        auto place = place_of(*source.expression);
        if (!place) return;
        place->path.push_back({.name = {}, .element = true});
        elements_[source.variable] = std::move(place->path);
    }

    std::optional<Place> place_of(const BoundExpression& expression) const {
        switch (expression.op) {
            case Op::kPath: {
                Place place;
                for (const ast::PathStep& step : paths_[expression.number]) {
                    add_step(place, std::get_if<std::string>(&step));
                }
                return place.path.empty() ? std::nullopt : std::optional(place);
            }
            case Op::kVariable: {
                const auto known = elements_.find(static_cast<std::uint32_t>(expression.number));
                if (known == elements_.end()) return std::nullopt;
                return Place{known->second, false};
            }
            case Op::kMember:
            case Op::kElement: {
                auto place = place_of(*expression.operands[0]);
                if (place) {
                    add_step(*place, expression.op == Op::kMember ? &expression.name : nullptr);
                }
                return place;
            }
            default:
                return std::nullopt;
        }
    }

    static void add_step(Place& place, const std::string* name) {
        if (name == nullptr) place.whole = false;
        place.path.push_back({.name = name == nullptr ? "" : *name, .element = name == nullptr});
    }

    static Condition on_path(Place place, std::vector<ValueBounds> bounds, Reach reach) {
        Condition out;
        out.kind = Kind::kPath;
        out.exact = place.whole && std::all_of(bounds.begin(), bounds.end(), [](const auto& one) {
                        return one.exact;
                    });
        out.reach = reach;
        out.path = std::move(place.path);
        out.bounds = std::move(bounds);
        return out;
    }

    std::string encoded(const Value& value) { return encode(value, arena_); }

    Condition derive(const BoundExpression& expression) {
        Condition out = derive_shape(expression);
        if (out.kind != Kind::kAll || out.exact) return out;
        return derive_predicate(expression);
    }

    Condition derive_shape(const BoundExpression& expression) {
        switch (expression.op) {
            case Op::kConstant: {
                if (!expression.constant.is_true()) return make_none();
                Condition all;
                all.exact = true;
                return all;
            }
            case Op::kPath:
            case Op::kVariable:
            case Op::kMember:
            case Op::kElement:
                if (auto place = place_of(expression)) return equals(*place, Value::boolean(true));
                return {};
            case Op::kUnary:
                return derive_not(expression);
            case Op::kBinary:
                return derive_binary(expression);
            case Op::kAnd:
            case Op::kOr:
                return derive_logical(expression);
            case Op::kIn:
            case Op::kInConstants:
                return derive_in(expression);
            case Op::kLike:
                return derive_like(expression);
            case Op::kCall:
                return derive_call(expression);
            case Op::kSubquery:
                return derive_exists(expression);
            default:
                return {};
        }
    }

    // A filter on a single path can be evaluated on its index entry.
    Condition derive_predicate(const BoundExpression& expression) {
        std::optional<std::uint64_t> number;
        bool simple = is_deterministic(expression);
        visit(expression, [&](const BoundExpression& part) {
            if (part.op == Op::kPath) {
                if (number && *number != part.number) simple = false;
                number = part.number;
            }
            const bool row_bound = part.op == Op::kVariable || part.op == Op::kSubquery ||
                                   part.op == Op::kItemNumber || part.op == Op::kUdf;
            if (row_bound) simple = false;
        });
        if (!simple || !number) return {};
        BoundExpression path;
        path.op = Op::kPath;
        path.number = *number;
        auto place = place_of(path);
        if (!place || !place->whole || holds_for_undefined(expression, *number)) return {};
        Condition out = on_path(*std::move(place), {index::any_defined()}, Reach::kWide);
        out.exact = false;
        out.predicate = &expression;
        out.number = *number;
        return out;
    }

    bool holds_for_undefined(const BoundExpression& expression, std::uint64_t number) const {
        Evaluator evaluator(0, {});
        const std::vector<Value> undefined(number + 1);
        evaluator.paths = undefined;
        return evaluator.evaluate(expression).is_true() || evaluator.error();
    }

    Condition equals(const Place& place, const Value& value) {
        if (value.is_undefined()) return make_none();
        return on_path(place, {index::equal_to(encoded(value))}, Reach::kPoint);
    }

    Condition derive_not(const BoundExpression& expression) {
        if (expression.unary != ast::UnaryOperator::kNot) return {};
        const BoundExpression& inner = *expression.operands[0];
        if (auto place = place_of(inner)) return equals(*place, Value::boolean(false));
        if (inner.op == Op::kCall && inner.function->search == kAnyDefined) {
            auto place = place_of(*inner.operands[0]);
            if (place && place->whole) {
                Condition out;
                out.kind = Kind::kLacks;
                out.exact = true;
                out.path = std::move(place->path);
                return out;
            }
        }
        return {};
    }

    Condition derive_binary(const BoundExpression& expression) {
        const bool mirror = expression.operands[0]->op == Op::kConstant;
        const BoundExpression& left = *expression.operands[mirror ? 1 : 0];
        const BoundExpression& right = *expression.operands[mirror ? 0 : 1];
        auto place = place_of(left);
        if (!place || right.op != Op::kConstant) return {};
        const Value& value = right.constant;
        const BinaryOperator op = mirror ? mirrored(expression.binary) : expression.binary;
        if (op == BinaryOperator::kEqual) return equals(*place, value);
        const bool relational = op == BinaryOperator::kLess || op == BinaryOperator::kLessOrEqual ||
                                op == BinaryOperator::kGreater ||
                                op == BinaryOperator::kGreaterOrEqual;
        if (!relational) return {};
        if (value.is_undefined() || value.is_array() || value.is_object()) return make_none();
        return on_path(*std::move(place), {compared(op, encoded(value))}, Reach::kRange);
    }

    static ValueBounds compared(BinaryOperator op, const std::string& value) {
        switch (op) {
            case BinaryOperator::kLess:
                return index::less_than(value);
            case BinaryOperator::kLessOrEqual:
                return index::at_most(value);
            case BinaryOperator::kGreater:
                return index::greater_than(value);
            default:
                return index::at_least(value);
        }
    }

    Condition derive_logical(const BoundExpression& expression) {
        Condition out;
        out.kind = expression.op == Op::kAnd ? Kind::kAnd : Kind::kOr;
        out.exact = true;
        out.reach = expression.op == Op::kAnd ? Reach::kWide : Reach::kPoint;
        for (const BoundPtr& term : expression.operands) {
            Condition part = derive(*term);
            // If one side gives no information, neither does the OR.
            if (out.kind == Kind::kOr && part.kind == Kind::kAll) {
                Condition all;
                all.exact = part.exact;
                return all;
            }
            if (out.kind == Kind::kAnd) {
                add_part(out, std::move(part));
                continue;
            }
            out.exact = out.exact && part.exact;
            out.reach = std::max(out.reach, part.reach);
            out.parts.push_back(std::move(part));
        }
        return out;
    }

    Condition derive_in(const BoundExpression& expression) {
        auto place = place_of(*expression.operands[0]);
        if (!place || expression.operands.size() > kListMax) return {};
        std::vector<ValueBounds> bounds;
        for (std::size_t i = 1; i < expression.operands.size(); ++i) {
            const BoundExpression& element = *expression.operands[i];
            if (element.op != Op::kConstant) return {};
            if (element.constant.is_undefined()) continue;
            bounds.push_back(index::equal_to(encoded(element.constant)));
        }
        return points(*std::move(place), std::move(bounds));
    }

    static Condition points(Place place, std::vector<ValueBounds> bounds) {
        if (bounds.empty()) return make_none();
        std::sort(bounds.begin(), bounds.end(), [](const ValueBounds& a, const ValueBounds& b) {
            return a.from < b.from;
        });
        bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
        return on_path(std::move(place), std::move(bounds), Reach::kPoint);
    }

    Condition derive_like(const BoundExpression& expression) {
        auto place = place_of(*expression.operands[0]);
        if (!place || !expression.pattern) return {};
        const LikePattern& pattern = *expression.pattern;
        if (pattern.is_exact()) return equals(*place, Value::string(pattern.prefix()));
        if (pattern.prefix().empty()) return {};
        Condition out =
            on_path(*std::move(place), {index::starting_with(pattern.prefix())}, Reach::kRange);
        out.exact = out.exact && pattern.is_prefix_only();
        return out;
    }

    Condition derive_call(const BoundExpression& expression) {
        const Search& search = expression.function->search;
        switch (search.kind) {
            case Search::Kind::kNone:
                return {};
            case Search::Kind::kKinds: {
                auto place = place_of(*expression.operands[0]);
                if (!place) return {};
                return on_path(
                    *std::move(place), {index::of_kinds(search.first, search.last)}, Reach::kWide);
            }
            case Search::Kind::kEqual:
            case Search::Kind::kPrefix:
                return derive_string_match(expression);
            case Search::Kind::kElement:
                return derive_array_contains(expression);
            case Search::Kind::kAnyElement:
            case Search::Kind::kEveryElement:
                return derive_contains_each(expression);
        }
        return {};
    }

    // f(path, string [, ignore case])
    Condition derive_string_match(const BoundExpression& expression) {
        const auto& operands = expression.operands;
        const auto constant = [&](std::size_t i) -> const Value* {
            return operands[i]->op == Op::kConstant ? &operands[i]->constant : nullptr;
        };
        const Value* wanted = constant(1);
        const bool case_counts = operands.size() < 3 || (constant(2) && constant(2)->is_false());
        auto place = place_of(*operands[0]);
        if (!place || wanted == nullptr || !case_counts) return {};
        if (!wanted->is_string()) return make_none();
        if (expression.function->search.kind == Search::Kind::kEqual)
            return equals(*place, *wanted);
        return on_path(*std::move(place), {index::starting_with(wanted->string())}, Reach::kRange);
    }

    Condition derive_array_contains(const BoundExpression& expression) {
        const auto& operands = expression.operands;
        // ARRAY_CONTAINS([1, 2], c.x) is c.x IN (1, 2).
        if (operands[0]->op == Op::kConstant && operands.size() == 2) {
            auto place = place_of(*operands[1]);
            const Value& list = operands[0]->constant;
            if (!place || !list.is_array()) return {};
            std::vector<ValueBounds> bounds;
            for (const Value& element : list.elements(arena_)) {
                bounds.push_back(index::equal_to(encoded(element)));
            }
            if (bounds.size() > kListMax) return {};
            return points(*std::move(place), std::move(bounds));
        }
        auto place = place_of(*operands[0]);
        if (!place || operands[1]->op != Op::kConstant) return {};
        add_step(*place, nullptr);
        const Value& wanted = operands[1]->constant;
        if (operands.size() < 3) return equals(*place, wanted);
        const bool partial = operands[2]->op != Op::kConstant || !operands[2]->constant.is_false();
        if (!partial || !wanted.is_object()) return equals(*place, wanted);
        return derive_partial(*place, wanted);
    }

    // Some element has all these members.
    Condition derive_partial(const Place& element, const Value& wanted) {
        Condition out;
        out.kind = Kind::kAnd;
        out.reach = Reach::kWide;
        for (const Member& member : wanted.members(arena_)) {
            // Nested objects and arrays may match partially as well.
            if (member.value.is_object() || member.value.is_array()) continue;
            Place place = element;
            const std::string name(member.name);
            add_step(place, &name);
            out.parts.push_back(equals(place, member.value));
            out.reach = Reach::kPoint;
        }
        return out;
    }

    Condition derive_contains_each(const BoundExpression& expression) {
        auto place = place_of(*expression.operands[0]);
        if (!place) return {};
        add_step(*place, nullptr);
        Condition out;
        const bool any = expression.function->search.kind == Search::Kind::kAnyElement;
        out.kind = any ? Kind::kOr : Kind::kAnd;
        out.reach = Reach::kPoint;
        for (std::size_t i = 1; i < expression.operands.size(); ++i) {
            if (expression.operands[i]->op != Op::kConstant) return {};
            out.parts.push_back(equals(*place, expression.operands[i]->constant));
        }
        return out;
    }

    // EXISTS(SELECT … FROM x IN c.a WHERE …): some element meets the filters.
    Condition derive_exists(const BoundExpression& expression) {
        const BoundQuery& query = *expression.query;
        if (expression.subquery != ast::SubqueryKind::kExists || query.grouped) return {};
        Condition out = all_of(query);
        out.exact = false;
        return out.parts.empty() ? Condition() : out;
    }

    std::span<const ItemPath> paths_;
    std::map<std::uint32_t, model::IndexPath> elements_;
    Arena arena_;
};

void append_text(std::string& out, const Condition& condition) {
    switch (condition.kind) {
        case Kind::kAll:
            out += "all";
            return;
        case Kind::kNone:
            out += "none";
            return;
        case Kind::kLacks:
            out += "lacks " + model::to_text(condition.path);
            return;
        case Kind::kPath:
            out += model::to_text(condition.path);
            out += condition.reach == Reach::kPoint   ? " ="
                   : condition.reach == Reach::kRange ? " range"
                                                      : " scan";
            if (condition.bounds.size() > 1) {
                out += " x" + std::to_string(condition.bounds.size());
            }
            return;
        case Kind::kAnd:
        case Kind::kOr:
            out += '(';
            for (std::size_t i = 0; i < condition.parts.size(); ++i) {
                if (i > 0) out += condition.kind == Kind::kAnd ? " and " : " or ";
                append_text(out, condition.parts[i]);
            }
            out += ')';
            return;
    }
}

}  // namespace

bool Condition::in_array() const {
    return std::any_of(
        path.begin(), path.end(), [](const model::IndexStep& step) { return step.element; });
}

Condition condition_of(const BoundQuery& query, std::span<const ItemPath> paths) {
    return Deriver(paths).all_of(query);
}

std::string to_text(const Condition& condition) {
    std::string out;
    append_text(out, condition);
    return out;
}

}  // namespace orrery::sql
