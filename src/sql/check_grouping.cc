#include <algorithm>
#include <string>
#include <unordered_map>

#include "sql/check_passes.h"
#include "sql/printer.h"
#include "sql/projection.h"
#include "sql/structure.h"
#include "sql/walk.h"

namespace orrery::sql {

namespace {

bool is_aggregate_or_subquery(const ast::Expression& expression) {
    return called_aggregate(expression) || std::holds_alternative<ast::Subquery>(expression.node);
}

class GroupingCheck {
public:
    GroupingCheck(const ast::Query& query, Diagnostics& out) : query_(query), out_(out) {
        for (const ast::Source& source : query.from) {
            if (auto alias = ast::source_alias(source)) aliases_.push_back(*std::move(alias));
        }
        for (const auto& key : query.group_by) {
            keys_.emplace(hashes_.of(*key), key.get());
        }
    }

    void run() {
        if (query_.where) refuse_aggregates(*query_.where, "WHERE");
        for (const auto& key : query_.group_by) {
            group_key(*key);
        }
        if (query_.select.kind == ast::SelectKind::kStar && !query_.group_by.empty()) {
            out_.add("SC2041", "'SELECT *' is not allowed with GROUP BY.", query_.select.location);
        }
        for (const ast::SelectItem& item : query_.select.items) {
            nested_aggregates(*item.expression);
        }
        if (!out_.list().empty()) return;
        if (query_.group_by.empty() && !selects_aggregate(query_)) return;
        for (const ast::SelectItem& item : query_.select.items) {
            grouped(*item.expression);
        }
        if (query_.group_by.empty()) return;
        for (const ast::OrderItem& item : query_.order_by) {
            refuse_aggregates(*item.expression, "ORDER BY");
            grouped(*item.expression);
        }
    }

private:
    void refuse_aggregates(const ast::Expression& expression, const std::string& clause) {
        for_each_below(expression, [&](const ast::Expression& below) {
            if (!called_aggregate(below)) return;
            out_.add("",
                     "Aggregate functions are not allowed in the " + clause + " clause.",
                     below.location);
        });
    }

    void group_key(const ast::Expression& key) {
        refuse_aggregates(key, "GROUP BY");
        for_each_below(key, [&](const ast::Expression& below) {
            if (!std::holds_alternative<ast::Subquery>(below.node)) return;
            out_.add("", "Subqueries are not allowed in the GROUP BY clause.", below.location);
        });
    }

    void nested_aggregates(const ast::Expression& expression) {
        if (!called_aggregate(expression)) {
            ast::for_each_child(expression, [&](const auto& child) { nested_aggregates(child); });
            return;
        }
        bool nested = false;
        ast::for_each_child(expression, [&](const ast::Expression& argument) {
            nested = nested || any_below(argument, is_aggregate_or_subquery);
        });
        if (!nested) return;
        out_.add("SC2101",
                 "Cannot perform an aggregate function on an expression containing an aggregate or "
                 "a subquery.",
                 expression.location);
    }

    // Everything taken from a row must be a key, derive from keys, or be aggregated. Subqueries see
    // the row as well; they are not checked but evaluated on an arbitrary row of the group.
    void grouped(const ast::Expression& expression) {
        const auto is_step = [](const ast::Expression& e) {
            return std::holds_alternative<ast::Member>(e.node) ||
                   std::holds_alternative<ast::Subscript>(e.node);
        };
        const ast::Expression* root = &expression;
        while (is_step(*root)) {
            if (is_key(*root)) return;
            const auto* member = std::get_if<ast::Member>(&root->node);
            root = member != nullptr ? member->base.get()
                                     : std::get<ast::Subscript>(root->node).base.get();
        }
        if (is_key(*root) || called_aggregate(*root)) return;
        const auto* identifier = std::get_if<ast::Identifier>(&root->node);
        if (identifier == nullptr) {
            ast::for_each_child(*root, [&](const ast::Expression& child) { grouped(child); });
        } else if (is_own(identifier->name)) {
            out_.add("SC2102",
                     "Property reference '" + print(expression) +
                         "' is invalid in the select list because it is not contained in either an "
                         "aggregate function or the GROUP BY clause.",
                     expression.location);
        }
    }

    bool is_key(const ast::Expression& expression) {
        if (keys_.empty()) return false;
        const auto [first, last] = keys_.equal_range(hashes_.of(expression));
        return std::any_of(
            first, last, [&](const auto& key) { return same_structure(*key.second, expression); });
    }

    bool is_own(const std::string& alias) const {
        return std::find(aliases_.begin(), aliases_.end(), alias) != aliases_.end();
    }

    const ast::Query& query_;
    Diagnostics& out_;
    std::vector<std::string> aliases_;
    StructureHashes hashes_;
    std::unordered_multimap<std::size_t, const ast::Expression*> keys_;
};

}  // namespace

void check_grouping(const ast::Query& query, Diagnostics& out) {
    for_each_query(query, [&](const ast::Query& inner) { GroupingCheck(inner, out).run(); });
}

}  // namespace orrery::sql
