#include "service/query_page.h"

#include <algorithm>
#include <functional>

#include "base/hash.h"
#include "base/stopwatch.h"
#include "model/limits.h"
#include "service/errors.h"
#include "service/explain.h"
#include "service/surroundings.h"
#include "sql/checks.h"
#include "sql/parser.h"
#include "sql/printer.h"

namespace orrery::service {

namespace {

using SteadyClock = std::chrono::steady_clock;

// Time limit for a page, even one without rows.
constexpr std::chrono::seconds kPageTime{5};
// Time limit for queries that return no rows before they have read all items.
constexpr std::chrono::seconds kQueryTime{60};

std::function<bool()> expires_in(std::chrono::seconds time) {
    return [end = SteadyClock::now() + time] { return SteadyClock::now() >= end; };
}

// Identifies the query, so that a continuation of another one is refused. A position in an ORDER BY
// is valid for every query with that order: SDKs send it with a filter that starts there (protocol
// §6.6).
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

}  // namespace

Result<sql::QuerySpec> parse_spec(const QueryText& text) {
    if (text.plain_text) return sql::plain_query_spec(text.body);
    return sql::parse_query_spec(text.body);
}

Result<ParsedQuery> parse_query(const QueryText& text,
                                std::vector<sql::ComputedProperty> computed,
                                const Clock& clock,
                                sql::UdfCaller* udfs) {
    ParsedQuery out;
    out.spec = TRY(parse_spec(text));
    out.syntax = TRY(sql::parse(out.spec.text));
    TRY(sql::check_query(*out.syntax,
                         {.find_function = sql::find_function, .allow_unsupported = false}));
    out.context = {.parameters = out.spec.parameters,
                   .computed = std::move(computed),
                   .surroundings = surroundings_at(clock)};
    out.context.surroundings.udfs = udfs;
    return out;
}

Result<QueryPage> QueryPage::open(const Request& request,
                                  const ParsedQuery& query,
                                  const ContinuationSigner& signer,
                                  std::string_view scope,
                                  Options options) {
    QueryPage page(query, signer, std::string(scope) + " " + digest_of(query));
    {
        const Stopwatch watch(options.measure, page.answer_.times.bind);
        page.prepared_ = TRY(sql::bind(*query.syntax, query.context));
    }
    page.limits_ = {.rows_max = TRY(page_size(request, model::limits::kPageRowsDefault)),
                    .bytes_max = model::limits::kPageBytesMax,
                    .time_is_up = expires_in(kPageTime),
                    .gives_up = expires_in(kQueryTime),
                    .at_least_one = true,
                    .describe = options.describe || query.syntax->explain,
                    .measure = options.measure};
    if (request.continuation) {
        const auto token = signer.check(*request.continuation, page.scope_);
        if (!token) return bad_request("Invalid Continuation Token");
        page.start_ = {.source = token->range_id,
                       .resume = TRY(sql::Resume::decode(token->resume))};
    }
    return page;
}

Result<std::optional<sql::Resume>> QueryPage::add_rows(sql::ItemSource& source,
                                                       const sql::Resume& from) {
    const sql::ResumeFilter* filter =
        query_.spec.resume_filter ? &*query_.spec.resume_filter : nullptr;
    sql::ResultPage part =
        TRY(sql::run_page(prepared_, source, query_.context.surroundings, {from, filter}, limits_));
    Page& page = answer_.page;
    if (part.count > 0 && page.count > 0) page.elements += ',';
    page.elements += part.rows;
    page.count += part.count;
    answer_.counters += part.counters;
    answer_.access = std::move(part.access);
    limits_.rows_max -= part.count;
    limits_.bytes_max =
        model::limits::kPageBytesMax - std::min(page.elements.size(), model::limits::kPageBytesMax);
    limits_.at_least_one = page.count == 0;
    return std::move(part.resume);
}

bool QueryPage::is_full() const {
    return limits_.rows_max == 0 || limits_.bytes_max == 0 || limits_.time_is_up();
}

void QueryPage::continue_at(std::uint32_t source, const sql::Resume& resume) {
    answer_.page.continuation =
        signer_.sign({.range_id = source, .resume = resume.encode()}, scope_);
}

QueryAnswer QueryPage::finish() && {
    answer_.sorted = !query_.syntax->order_by.empty();
    if (query_.syntax->explain) {
        answer_.page = {
            .elements = explanation(*query_.syntax, answer_), .count = 1, .continuation = {}};
    }
    return std::move(answer_);
}

Result<QueryAnswer> run_over(const Request& request,
                             const ParsedQuery& query,
                             const ContinuationSigner& signer,
                             std::string_view scope,
                             sql::ItemSource& source) {
    QueryPage page = TRY(QueryPage::open(request, query, signer, scope, {}));
    const sql::Resume from = page.start() ? page.start()->resume : sql::Resume();
    if (const auto resume = TRY(page.add_rows(source, from))) page.continue_at(0, *resume);
    return std::move(page).finish();
}

}  // namespace orrery::service
