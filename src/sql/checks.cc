#include "sql/checks.h"

#include <functional>
#include <unordered_set>

#include "sql/check_passes.h"
#include "sql/projection.h"
#include "sql/walk.h"

namespace orrery::sql {

Status check_query(const ast::Query& query, const CheckOptions& options) {
    const std::vector<std::function<void(Diagnostics&)>> passes = {
        [&](Diagnostics& out) { check_clauses(query, out); },
        [&](Diagnostics& out) { check_names(query, out); },
        [&](Diagnostics& out) { check_calls(query, options, out); },
        [&](Diagnostics& out) { check_grouping(query, out); },
        [&](Diagnostics& out) { check_duplicates(query, out); },
        [&](Diagnostics& out) { check_order_by(query, out); },
    };
    for (const auto& pass : passes) {
        Diagnostics found;
        pass(found);
        if (!found.list().empty()) return query_error(found.list());
    }
    return {};
}

namespace {

class UniqueNames {
public:
    explicit UniqueNames(Diagnostics& out) : out_(out) {}

    void add(const std::string& name, const Location& location) {
        if (names_.insert(name).second) return;
        out_.add("SC2022",
                 "Object creation error, property name '" + name + "' specified more than once.",
                 location);
    }

private:
    Diagnostics& out_;
    std::unordered_set<std::string> names_;
};

void check_object(const ast::Object& object, Diagnostics& out) {
    UniqueNames names(out);
    for (const ast::Property& property : object.properties) {
        names.add(property.name.text, property.name.location);
    }
}

void check_select_list(const ast::Select& select, Diagnostics& out) {
    UniqueNames unique(out);
    const auto names = output_names(select);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const ast::SelectItem& item = select.items[i];
        unique.add(names[i], item.alias ? item.alias->location : item.expression->location);
    }
}

}  // namespace

void check_duplicates(const ast::Query& query, Diagnostics& out) {
    const ExpressionVisitor in_object = [&](const ast::Expression& expression) {
        if (const auto* object = std::get_if<ast::Object>(&expression.node)) {
            check_object(*object, out);
        }
    };
    for_each_query(query, [&](const ast::Query& inner) {
        if (inner.select.kind == ast::SelectKind::kList) check_select_list(inner.select, out);
        for_each_expression(inner, [&](const ast::Expression& expression) {
            for_each_below(expression, in_object);
        });
    });
}

}  // namespace orrery::sql
