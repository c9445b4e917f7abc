#include "service/query_page.h"

#include <algorithm>

#include "base/hash.h"
#include "base/stopwatch.h"
#include "model/limits.h"
#include "service/errors.h"
#include "service/explain.h"
#include "sql/printer.h"

namespace orrery::service {

Result<sql::QuerySpec> parse_spec(const QueryText& text) {
    if (text.plain_text) return sql::plain_query_spec(text.body);
    return sql::parse_query_spec(text.body);
}

Result<ParsedQuery> parse_query(Statements& statements,
                                const QueryText& text,
                                std::vector<sql::ComputedProperty> computed,
                                const sql::Surroundings& surroundings) {
    ParsedQuery out;
    out.spec = TRY(parse_spec(text));
    out.statement = TRY(statements.parse(out.spec.text));
    out.syntax = out.statement->syntax();
    out.context = {.parameters = out.spec.parameters,
                   .computed = std::move(computed),
                   .surroundings = surroundings};
    return out;
}

std::string digest_of(const ParsedQuery& query) {
    std::string text;
    if (!query.syntax->order_by.empty() && query.syntax->group_by.empty()) {
        for (const sql::ast::OrderItem& item : query.syntax->order_by) {
            text += sql::print(*item.expression) + (item.descending() ? " DESC," : " ASC,");
        }
    } else {
        text = query.spec.text;
        for (const sql::ParameterValue& parameter : query.spec.parameters) {
            text.append(1, '\0').append(parameter.name).append(1, '\0').append(parameter.json);
        }
    }
    return std::string(as_bytes(sha256(text)));
}

Error bad_continuation() { return bad_request("Invalid Continuation Token"); }

Result<QueryPage> QueryPage::open(Context& context, const ParsedQuery& query, Options options) {
    QueryPage page(context, query);
    {
        const Stopwatch watch(options.measure, context.receipt.metrics.bind);
        page.prepared_ = TRY(sql::bind(*query.syntax, query.context));
    }
    page.limits_ = {.rows_max = TRY(page_size(context.request, model::limits::kPageRowsDefault)),
                    .bytes_max = model::limits::kPageBytesMax,
                    .seeks_end = options.seeks_end,
                    .describe = options.describe || query.syntax->explain,
                    .measure = options.measure};
    return page;
}

Result<std::optional<sql::Resume>> QueryPage::read(sql::ItemSource& source,
                                                   const sql::Resume& from) {
    const sql::ResumeFilter* filter =
        query_.spec.resume_filter ? &*query_.spec.resume_filter : nullptr;
    sql::ResultPage part =
        TRY(sql::run_page(prepared_, source, query_.context.surroundings, {from, filter}, limits_));
    answer_.page.elements = std::move(part.rows);
    answer_.page.count = part.count;
    context_.receipt.metrics.counters = part.counters;
    answer_.access = std::move(part.access);
    return std::move(part.resume);
}

QueryAnswer QueryPage::finish() && {
    answer_.sorted = !query_.syntax->order_by.empty();
    if (query_.syntax->explain) {
        answer_.page = {.elements = explanation(*query_.syntax, answer_, context_.receipt.metrics),
                        .count = 1,
                        .continuation = {}};
    }
    return std::move(answer_);
}

Result<QueryAnswer> run_over(Context& context,
                             const ParsedQuery& query,
                             sql::ItemSource& source,
                             const sql::Resume& from,
                             const std::function<std::string(const sql::Resume&)>& sign) {
    QueryPage page = TRY(QueryPage::open(context, query, {}));
    if (const auto resume = TRY(page.read(source, from))) {
        page.answer().page.continuation = sign(*resume);
    }
    return std::move(page).finish();
}

}  // namespace orrery::service
