#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sql/aggregates.h"
#include "sql/check_passes.h"
#include "sql/walk.h"

namespace orrery::sql {

namespace {

// Functions of the language that the engine does not implement.
constexpr std::array<std::string_view, 13> kUnsupported = {
    "ST_DISTANCE",
    "ST_WITHIN",
    "ST_INTERSECTS",
    "ST_AREA",
    "ST_ISVALID",
    "ST_ISVALIDDETAILED",
    "VECTORDISTANCE",
    "FULLTEXTCONTAINS",
    "FULLTEXTCONTAINSALL",
    "FULLTEXTCONTAINSANY",
    "_FULLTEXTWORDCOUNT",
    "_FULLTEXTSCORE",
    "_VECTORSCORE",
};

bool is_unsupported(std::string_view name) {
    return std::any_of(kUnsupported.begin(), kUnsupported.end(), [&](std::string_view known) {
        return same_word(known, name);
    });
}

std::string number_of_arguments(std::size_t min, std::size_t max) {
    if (max == kAnyNumber) return "at least " + std::to_string(min);
    if (min == max) return std::to_string(min);
    return std::to_string(min) + " to " + std::to_string(max);
}

class CallCheck {
public:
    CallCheck(const CheckOptions& options, Diagnostics& out) : options_(options), out_(out) {}

    void query(const ast::Query& query) {
        const auto check = [&](const ast::Expression& expression) {
            for_each_below(expression, [&](const ast::Expression& below) { node(below); });
        };
        for (const ast::SelectItem& item : query.select.items) {
            check(*item.expression);
        }
        if (query.where) check(*query.where);
        for (const auto& key : query.group_by) {
            check(*key);
        }
        if (query.order_by_rank) {
            rank(query);
            return;
        }
        for (const ast::OrderItem& item : query.order_by) {
            check(*item.expression);
        }
    }

private:
    void node(const ast::Expression& expression) {
        if (const auto* call = std::get_if<ast::Call>(&expression.node)) {
            if (!call->udf) this->call(*call, expression.location);
        } else if (const auto* subscript = std::get_if<ast::Subscript>(&expression.node)) {
            index(*subscript, expression.location);
        } else if (const auto* like = std::get_if<ast::Like>(&expression.node)) {
            escape(*like, expression.location);
        }
    }

    void call(const ast::Call& call, const Location& location) {
        if (find_aggregate(call.name)) {
            arity(call.name, call, location, 1, 1);
        } else if (const Function* function = options_.find_function(call.name)) {
            arity(function->name, call, location, function->arguments_min, function->arguments_max);
        } else if (same_word(call.name, "FULLTEXTSCORE")) {
            out_.add("SC2240",
                     "The FullTextScore function is only allowed in the ORDER BY RANK clause.",
                     location);
        } else if (is_unsupported(call.name)) {
            if (!options_.allow_unsupported)
                unsupported("The " + call.name + " function", location);
        } else {
            const auto length = static_cast<std::uint32_t>(call.name.size());
            out_.add("SC2005",
                     "'" + call.name + "' is not a recognized built-in function name.",
                     Location{location.start, location.start + length});
        }
    }

    void arity(std::string_view name,
               const ast::Call& call,
               const Location& location,
               std::size_t min,
               std::size_t max) {
        const std::size_t count = call.arguments.size();
        if (count >= min && (max == kAnyNumber || count <= max)) return;
        out_.add("SC2050",
                 "The " + std::string(name) + " function requires " +
                     number_of_arguments(min, max) + " argument(s).",
                 location);
    }

    // The service refuses an index that depends on the row.
    void index(const ast::Subscript& subscript, const Location& location) {
        const bool varies = any_below(*subscript.index, [](const ast::Expression& below) {
            const auto* call = std::get_if<ast::Call>(&below.node);
            return std::holds_alternative<ast::Identifier>(below.node) ||
                   std::holds_alternative<ast::Subquery>(below.node) ||
                   (call != nullptr && call->udf);
        });
        if (!varies) return;
        out_.add("SC2990",
                 "The specified query includes 'member indexer' which is currently not supported.",
                 location);
    }

    void escape(const ast::Like& like, const Location& location) {
        if (!like.escape) return;
        std::string_view rest = *like.escape;
        const bool one = !rest.empty() && take_code_point(rest) && rest.empty();
        if (one && *like.escape != "\\") return;
        out_.add("",
                 "The ESCAPE of a LIKE must be a string of one character other than a backslash.",
                 location);
    }

    void rank(const ast::Query& query) {
        for (const ast::OrderItem& item : query.order_by) {
            for_each_below(*item.expression, [&](const ast::Expression& below) {
                const auto* call = std::get_if<ast::Call>(&below.node);
                const bool scores = call != nullptr && (same_word(call->name, "FULLTEXTSCORE") ||
                                                        same_word(call->name, "RRF"));
                if (!scores) node(below);
            });
        }
        if (!options_.allow_unsupported) {
            unsupported("The ORDER BY RANK clause", query.order_by_location);
        }
    }

    void unsupported(const std::string& what, const Location& location) {
        out_.add("", what + " is not supported yet.", location);
    }

    const CheckOptions& options_;
    Diagnostics& out_;
};

}  // namespace

void check_calls(const ast::Query& query, const CheckOptions& options, Diagnostics& out) {
    CallCheck check(options, out);
    for_each_query(query, [&](const ast::Query& inner) { check.query(inner); });
}

}  // namespace orrery::sql
