#include "service/change_filter.h"

#include <string>
#include <utility>

#include "model/limits.h"
#include "service/change_text.h"
#include "service/computed.h"
#include "service/errors.h"
#include "service/one_item.h"
#include "service/surroundings.h"
#include "sql/binder.h"
#include "sql/checks.h"
#include "sql/exec/page.h"
#include "sql/parser.h"
#include "sql/projection.h"
#include "sql/walk.h"

namespace orrery::service {

namespace {

// What only makes sense for all items together.
bool looks_beyond_one_item(const sql::ast::Query& query) {
    return query.select.distinct || query.select.top || query.offset_limit || query.explain ||
           !query.order_by.empty() || query.order_by_rank || !query.group_by.empty() ||
           sql::has_aggregate(query);
}

}  // namespace

Result<ChangeFilter> ChangeFilter::parse(const QueryText& text,
                                         const catalog::Container& container,
                                         const Clock& clock) {
    const sql::QuerySpec spec = TRY(parse_spec(text));
    const auto syntax = TRY(sql::parse(spec.text));
    TRY(sql::check_query(*syntax,
                         {.find_function = sql::find_function, .allow_unsupported = false}));
    if (looks_beyond_one_item(*syntax) || sql::calls_udf(*syntax)) {
        return bad_request(
            "A query on a change feed may only filter and project single items: it cannot have "
            "DISTINCT, TOP, OFFSET LIMIT, ORDER BY, GROUP BY, aggregates or UDFs.");
    }
    sql::Budget budget(condition_limits());
    const sql::BindingContext context{
        .parameters = spec.parameters,
        .computed = TRY(parse_computed(container.definition.computed_properties)),
        .surroundings = surroundings_at(clock, budget)};
    auto prepared = TRY(sql::bind(*syntax, context));
    sql::Surroundings surroundings = context.surroundings;
    surroundings.budget = nullptr;  // each item has its own
    return ChangeFilter(std::move(prepared), surroundings);
}

partition::ChangePrinter ChangeFilter::printer() const {
    return [this](const partition::Change& change, std::string& out) -> Result<std::size_t> {
        std::string text;
        append_change(text, change);
        OneItem source(text);
        sql::Budget budget(condition_limits());
        sql::Surroundings surroundings = surroundings_;
        surroundings.budget = &budget;
        const sql::PageLimits limits{.rows_max = model::limits::kPageRowsDefault,
                                     .bytes_max = model::limits::kPageBytesMax};
        const sql::ResultPage page =
            TRY(sql::run_page(prepared_, source, surroundings, {}, limits));
        if (page.resume) return bad_request("The query makes too many rows of one item.");
        out += page.rows;
        return page.count;
    };
}

}  // namespace orrery::service
