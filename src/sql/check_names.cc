#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/ascii.h"
#include "sql/check_passes.h"
#include "sql/walk.h"

namespace orrery::sql {

namespace {

class NameCheck {
public:
    explicit NameCheck(Diagnostics& out) : out_(out) {}

    // The container can be referenced, under any name, only where rows come from: first in FROM of
    // the outermost query, or of a query in that place. Other queries see only the aliases around
    // them (dotnet/efcore#38232: EXISTS(SELECT 1 FROM root c) without an outer FROM is SC2001).
    void query(const ast::Query& query, bool container_visible) {
        std::vector<std::string> own;
        for (const ast::Source& source : query.from) {
            this->source(source, container_visible && &source == &query.from.front());
            bind(source, own);
        }
        if (query.select.kind == ast::SelectKind::kStar) star(query);
        if (container_visible) note_root_alias(query);
        for_each_expression(query, [&](const ast::Expression& expression) { resolve(expression); });
        for (const std::string& alias : own) {
            --bound_[alias];
        }
    }

private:
    void source(const ast::Source& source, bool container_visible) {
        if (source.subquery) {
            query(*source.subquery, container_visible);
        } else if (!container_visible && !is_bound(source.root.text)) {
            unresolved(source.root.text, source.root.location);
        }
    }

    void bind(const ast::Source& source, std::vector<std::string>& own) {
        const auto alias = ast::source_alias(source);
        if (!alias) return;
        if (std::find(own.begin(), own.end(), *alias) != own.end()) {
            out_.add(
                "SC2011",
                "The input alias '" + *alias + "' is specified more than once in the FROM clause.",
                source.alias ? source.alias->location : source.location);
            return;
        }
        own.push_back(*alias);
        ++bound_[*alias];
    }

    void star(const ast::Query& query) {
        if (query.from.empty()) {
            out_.add(
                "", "'SELECT *' is not valid if FROM clause is omitted.", query.select.location);
        } else if (query.from.size() > 1) {
            out_.add(
                "", "'SELECT *' is only valid with a single input set.", query.select.location);
        }
    }

    void note_root_alias(const ast::Query& query) {
        root_alias_.clear();
        if (query.from.empty()) return;
        const ast::Source& first = query.from.front();
        if (first.subquery || first.iterates || !first.path.empty()) return;
        root_alias_ = ast::source_alias(first).value();
    }

    void resolve(const ast::Expression& expression) {
        if (const auto* identifier = std::get_if<ast::Identifier>(&expression.node)) {
            if (!is_bound(identifier->name)) unresolved(identifier->name, expression.location);
        } else if (const auto* subquery = std::get_if<ast::Subquery>(&expression.node)) {
            query(*subquery->query, false);
        } else if (const auto* call = std::get_if<ast::Call>(&expression.node)) {
            if (!call->udf && same_word(call->name, "DOCUMENTID")) document_id(*call, expression);
        }
        ast::for_each_child(expression, [&](const ast::Expression& child) { resolve(child); });
    }

    void document_id(const ast::Call& call, const ast::Expression& expression) {
        if (call.arguments.size() != 1) return;  // SC2050 later
        const auto* alias = std::get_if<ast::Identifier>(&call.arguments[0]->node);
        if (alias != nullptr && !is_bound(alias->name)) return;  // SC2001
        if (alias != nullptr && alias->name == root_alias_ && bound_[alias->name] == 1) return;
        out_.add("",
                 "The argument of the DOCUMENTID function must be the alias of the container.",
                 expression.location);
    }

    bool is_bound(const std::string& name) const {
        const auto found = bound_.find(name);
        return found != bound_.end() && found->second > 0;
    }

    void unresolved(const std::string& name, const Location& location) {
        out_.add("SC2001", "Identifier '" + name + "' could not be resolved.", location);
    }

    Diagnostics& out_;
    std::unordered_map<std::string, int> bound_;  // how many enclosing queries bind the alias
    std::string root_alias_;
};

}  // namespace

void check_names(const ast::Query& query, Diagnostics& out) { NameCheck(out).query(query, true); }

}  // namespace orrery::sql
