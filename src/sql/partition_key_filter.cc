#include "sql/partition_key_filter.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sql/functions/function.h"
#include "sql/key_sets.h"
#include "sql/like.h"
#include "sql/projection.h"

namespace orrery::sql {

namespace {

using Component = model::PartitionKeyValue::Component;

// The key component of the items whose key path equals the value; nothing when there can be none.
// An array or object at the path counts as no key.
std::optional<Component> component_of(const Value& value) {
    switch (value.kind()) {
        case Kind::kUndefined:
            return std::nullopt;
        case Kind::kNull:
            return Component(model::PartitionKeyValue::Null{});
        case Kind::kBoolean:
            return Component(value.boolean());
        case Kind::kNumber:
            if (!value.number().is_finite()) return std::nullopt;
            return Component(value.number().real() + 0.0);  // -0 is 0
        case Kind::kString:
            return Component(std::string(value.string()));
        case Kind::kArray:
        case Kind::kObject:
            return Component(model::PartitionKeyValue::Undefined{});
    }
    return std::nullopt;
}

// All values of these kinds; nothing when they cannot be listed.
std::optional<std::vector<Value>> values_of_kinds(index::Tag first, index::Tag last) {
    using index::Tag;
    const std::pair<Tag, Value> listed[] = {{Tag::kNull, Value::null()},
                                            {Tag::kFalse, Value::boolean(false)},
                                            {Tag::kTrue, Value::boolean(true)}};
    if (first < Tag::kNull || last > Tag::kTrue) return std::nullopt;
    std::vector<Value> out;
    for (const auto& [tag, value] : listed) {
        if (first <= tag && tag <= last) out.push_back(value);
    }
    return out;
}

class Analysis {
public:
    Analysis(const model::PartitionKeyDefinition& definition, const Fold& fold)
        : definition_(definition), fold_(fold) {}

    // Only the first source of the outermost query can be the container itself.
    KeySet query(const ast::Query& query, bool outermost) {
        for (const ast::Source& source : query.from) {
            const auto alias = ast::source_alias(source);
            auto place = place_of(source, outermost && &source == &query.from.front());
            if (alias) scope_.emplace_back(*alias, std::move(place));
        }
        return query.where ? condition(*query.where) : KeySet::all();
    }

private:
    // The place in the item that an alias refers to; nothing when it is not one.
    using Place = std::optional<json::Path>;

    Place place_of(const ast::Source& source, bool container) const {
        if (source.subquery || source.iterates) return std::nullopt;
        Place place = container ? Place(json::Path{}) : place_of(source.root.text);
        for (const ast::PathStep& step : source.path) {
            const auto* name = std::get_if<std::string>(&step);
            if (!place || name == nullptr) return std::nullopt;
            place->push_back(*name);
        }
        return place;
    }

    Place place_of(const std::string& alias) const {
        const auto found = std::find_if(scope_.rbegin(), scope_.rend(), [&](const auto& bound) {
            return bound.first == alias;
        });
        return found == scope_.rend() ? std::nullopt : found->second;
    }

    Place place_of(const ast::Expression& expression) const {
        if (const auto* identifier = std::get_if<ast::Identifier>(&expression.node)) {
            return place_of(identifier->name);
        }
        if (const auto* member = std::get_if<ast::Member>(&expression.node)) {
            return step(*member->base, member->name);
        }
        if (const auto* subscript = std::get_if<ast::Subscript>(&expression.node)) {
            const auto index = fold_(*subscript->index);
            if (index && index->is_string()) return step(*subscript->base, index->string());
        }
        return std::nullopt;
    }

    Place step(const ast::Expression& base, std::string_view name) const {
        Place place = place_of(base);
        if (place) place->emplace_back(name);
        return place;
    }

    // The component of the key that the expression refers to.
    std::optional<std::size_t> component(const ast::Expression& expression) const {
        const Place place = place_of(expression);
        if (!place) return std::nullopt;
        const auto found = std::find(definition_.paths.begin(), definition_.paths.end(), *place);
        if (found == definition_.paths.end()) return std::nullopt;
        return static_cast<std::size_t>(found - definition_.paths.begin());
    }

    // The keys for which the condition can be true.
    KeySet condition(const ast::Expression& expression) {
        if (const auto* logical = std::get_if<ast::Logical>(&expression.node)) {
            return this->logical(*logical);
        }
        if (const auto* binary = std::get_if<ast::Binary>(&expression.node)) {
            if (binary->op != ast::BinaryOperator::kEqual) return constant(expression);
            return equality(*binary->left, *binary->right);
        }
        if (const auto* in = std::get_if<ast::In>(&expression.node)) {
            return in->negated ? constant(expression) : this->in(*in);
        }
        if (const auto* like = std::get_if<ast::Like>(&expression.node)) {
            return like->negated ? constant(expression) : this->like(*like);
        }
        if (const auto* call = std::get_if<ast::Call>(&expression.node); call && !call->udf) {
            return this->call(*call, expression);
        }
        if (const auto* unary = std::get_if<ast::Unary>(&expression.node)) {
            const auto place = component(*unary->operand);
            if (unary->op != ast::UnaryOperator::kNot || !place) return constant(expression);
            return KeySet::of(*place, {Component(false)});
        }
        if (const auto place = component(expression)) {
            return KeySet::of(*place, {Component(true)});
        }
        return constant(expression);
    }

    // Only true admits items; an expression that depends on the item may be true.
    KeySet constant(const ast::Expression& expression) {
        const auto value = fold_(expression);
        return !value || value->is_true() ? KeySet::all() : KeySet::none();
    }

    KeySet logical(const ast::Logical& logical) {
        if (logical.is_and) {
            KeySet all = KeySet::all();
            for (const auto& term : logical.terms) {
                const KeySet keys = condition(*term);
                if (!keys.is_all()) all = all.intersected(keys);
            }
            return all;
        }
        std::vector<KeySet> any;
        for (const auto& term : logical.terms) {
            any.push_back(condition(*term));
        }
        return KeySet::united(std::move(any));
    }

    KeySet equality(const ast::Expression& left, const ast::Expression& right) {
        KeySet rows = needed_rows(left).intersected(needed_rows(right));
        if (const auto place = component(left)) return equal_to(*place, right).intersected(rows);
        if (const auto place = component(right)) return equal_to(*place, left).intersected(rows);
        if (const auto absolute = absolute_of(left)) return absolute_is(*absolute, right);
        if (const auto absolute = absolute_of(right)) return absolute_is(*absolute, left);
        const auto a = fold_(left);
        const auto b = fold_(right);
        if (a && b) return equal(*a, *b, arena_) && a->is_defined() ? rows : KeySet::none();
        return rows;
    }

    // A scalar subquery without rows is undefined, which equals nothing: its WHERE must hold.
    KeySet needed_rows(const ast::Expression& expression) {
        const auto* subquery = std::get_if<ast::Subquery>(&expression.node);
        if (subquery == nullptr || subquery->kind != ast::SubqueryKind::kScalar ||
            selects_aggregate(*subquery->query) || subquery->query->from.empty()) {
            return KeySet::all();
        }
        const std::size_t outer = scope_.size();
        KeySet keys = query(*subquery->query, false);
        scope_.resize(outer);
        return keys;
    }

    KeySet equal_to(std::size_t place, const ast::Expression& other) {
        const auto value = fold_(other);
        return value ? one_of(place, {*value}) : KeySet::all();
    }

    static KeySet one_of(std::size_t place, const std::vector<Value>& values) {
        std::vector<Component> components;
        for (const Value& value : values) {
            if (auto component = component_of(value)) components.push_back(*std::move(component));
        }
        return KeySet::of(place, components);
    }

    KeySet in(const ast::In& in) {
        std::vector<KeySet> any;
        for (const auto& element : in.list) {
            any.push_back(equality(*in.needle, *element));
        }
        return KeySet::united(std::move(any));
    }

    std::optional<std::size_t> absolute_of(const ast::Expression& expression) const {
        const auto* call = std::get_if<ast::Call>(&expression.node);
        if (call == nullptr || call->udf || !same_word(call->name, "ABS") ||
            call->arguments.size() != 1) {
            return std::nullopt;
        }
        return component(*call->arguments[0]);
    }

    KeySet absolute_is(std::size_t place, const ast::Expression& other) {
        const auto value = fold_(other);
        if (!value) return KeySet::all();
        if (!value->is_number() || value->number() < json::Number(0)) return KeySet::none();
        return one_of(place, {*value, Value::number(json::Number(-value->number().real()))});
    }

    KeySet like(const ast::Like& like) {
        const auto place = component(*like.operand);
        const auto pattern = fold_(*like.pattern);
        if (!place || !pattern) return KeySet::all();
        if (!pattern->is_string()) return KeySet::none();
        std::optional<char32_t> escape;
        if (like.escape) {
            std::string_view rest = *like.escape;
            if (rest.empty()) return KeySet::all();
            escape = take_code_point(rest);
        }
        const LikePattern compiled(pattern->string(), escape);
        if (!compiled.is_exact()) return KeySet::all();
        return KeySet::of(*place, {Component(compiled.prefix())});
    }

    KeySet call(const ast::Call& call, const ast::Expression& expression) {
        const auto& arguments = call.arguments;
        const Function* function = find_function(call.name);
        const Search search = function == nullptr ? Search() : function->search;
        if (search.kind == Search::Kind::kKinds && arguments.size() == 1) {
            const auto place = component(*arguments[0]);
            const auto values = values_of_kinds(search.first, search.last);
            if (place && values) return one_of(*place, *values);
        }
        if (search.kind == Search::Kind::kElement && arguments.size() == 2) {
            const auto list = fold_(*arguments[0]);
            const auto place = component(*arguments[1]);
            if (place && list) {
                if (!list->is_array()) return KeySet::none();
                const auto values = list->elements(arena_);
                return one_of(*place, {values.begin(), values.end()});
            }
        }
        return constant(expression);
    }

    const model::PartitionKeyDefinition& definition_;
    const Fold& fold_;
    std::vector<std::pair<std::string, Place>> scope_;
    Arena arena_;
};

// The known leading components.
model::PartitionKeyValue leading(const PartialKey& key, std::size_t paths) {
    model::PartitionKeyValue out;
    for (std::size_t i = 0; i < paths && key[i]; ++i) {
        out.append(*key[i]);
    }
    return out;
}

bool begins_with(const model::PartitionKeyValue& key, const model::PartitionKeyValue& prefix) {
    const auto a = key.components();
    const auto b = prefix.components();
    return a.size() >= b.size() && std::equal(b.begin(), b.end(), a.begin());
}

// Sorted by bytes, a key directly follows its own prefixes.
void remove_covered(std::vector<model::PartitionKeyValue>& keys) {
    std::vector<std::pair<std::string, model::PartitionKeyValue>> sorted;
    for (model::PartitionKeyValue& key : keys) {
        std::string bytes = key.encode();
        sorted.emplace_back(std::move(bytes), std::move(key));
    }
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    keys.clear();
    for (auto& [bytes, key] : sorted) {
        if (keys.empty() || !begins_with(key, keys.back())) keys.push_back(std::move(key));
    }
}

}  // namespace

PartitionKeyFilter partition_key_filter(const ast::Query& query,
                                        const model::PartitionKeyDefinition& definition,
                                        const Fold& fold) {
    if (query.from.empty()) return {.all = false, .keys = {}};
    const KeySet set = Analysis(definition, fold).query(query, true);
    const std::size_t paths = definition.system_key ? 0 : definition.paths.size();
    PartitionKeyFilter filter{.all = false, .keys = {}};
    for (const PartialKey& partial : set.keys()) {
        model::PartitionKeyValue key = leading(partial, paths);
        const bool whole = key.size() == paths;
        if (key.empty() || (!whole && definition.kind != model::HashKind::kMultiHash)) return {};
        filter.keys.push_back(std::move(key));
    }
    remove_covered(filter.keys);
    return filter;
}

std::vector<QueryRange> query_ranges(const PartitionKeyFilter& filter,
                                     const model::PartitionKeyDefinition& definition) {
    if (filter.all) return {{"", std::string(model::kEpkEnd), false}};
    if (filter.keys.empty()) return {{"", "", true}};
    std::vector<QueryRange> ranges;
    for (const model::PartitionKeyValue& key : filter.keys) {
        if (key.size() == definition.paths.size()) {
            const std::string epk = model::effective_partition_key(key, definition.kind);
            ranges.push_back({epk, epk, true});
        } else {
            const model::EpkRange range = model::prefix_range(key);
            // The service's plans include the end; no key has that EPK.
            ranges.push_back({range.min_inclusive, range.max_exclusive, true});
        }
    }
    std::sort(ranges.begin(), ranges.end(), [](const QueryRange& a, const QueryRange& b) {
        return a.min_inclusive < b.min_inclusive;
    });
    ranges.erase(std::unique(ranges.begin(), ranges.end()), ranges.end());
    return ranges;
}

bool is_single_key(const PartitionKeyFilter& filter,
                   const model::PartitionKeyDefinition& definition) {
    return !filter.all && filter.keys.size() == 1 &&
           filter.keys.front().size() == definition.paths.size();
}

}  // namespace orrery::sql
