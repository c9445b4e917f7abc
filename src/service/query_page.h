// Shared by queries on items and on resources of the catalog: parses and checks the text, runs it
// over one source after the other until the page is full, and signs the continuation token.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "service/continuation.h"
#include "service/item_target.h"
#include "service/page.h"
#include "service/request.h"
#include "sql/ast.h"
#include "sql/binder.h"
#include "sql/exec/page.h"
#include "sql/query_spec.h"

namespace orrery::service {

// A query as the client sent it.
struct QueryText {
    std::string_view body;
    bool plain_text = false;  // the body is the query itself, not JSON that contains it
};

// A parsed and validated query.
struct ParsedQuery {
    sql::QuerySpec spec;
    sql::ast::QueryPtr syntax;
    sql::BindingContext context;
};

Result<sql::QuerySpec> parse_spec(const QueryText& text);

// A query that calls UDFs is refused when `udfs` is null.
Result<ParsedQuery> parse_query(const QueryText& text,
                                std::vector<sql::ComputedProperty> computed,
                                const Clock& clock,
                                sql::UdfCaller* udfs);

// Time spent. The counters break down `run` if the client asked for metrics.
struct QueryTimes {
    std::chrono::nanoseconds compile{};
    std::chrono::nanoseconds bind{};  // a part of run
    std::chrono::nanoseconds run{};
};

struct QueryAnswer {
    Page page;
    std::optional<Position> position;  // of the last range that was read
    sql::Access access;                // of the last range that was read
    sql::Counters counters;
    QueryTimes times;
    bool sorted = false;         // the query has an ORDER BY
    std::size_t partitions = 0;  // that were read
};

// One page of a query. Sources are added one after the other; the query must outlive the page.
class QueryPage {
public:
    struct Options {
        bool describe = false;  // the answer shows the plan
        bool measure = false;   // the answer shows how long each step took
    };

    // `scope` names what is queried: a token for anything else, or for another query, is refused.
    static Result<QueryPage> open(const Request& request,
                                  const ParsedQuery& query,
                                  const ContinuationSigner& signer,
                                  std::string_view scope,
                                  Options options);

    // Where the page resumes: the source and the position in it. Nothing for the first page.
    struct Start {
        std::uint32_t source = 0;
        sql::Resume resume;
    };
    const std::optional<Start>& start() const { return start_; }

    // Appends rows of the source. Returns where to resume when the page ends within it.
    Result<std::optional<sql::Resume>> add_rows(sql::ItemSource& source, const sql::Resume& from);

    // No room or time left for rows of another source.
    bool is_full() const;

    // The next page starts here.
    void continue_at(std::uint32_t source, const sql::Resume& resume);

    // The caller fills in what only it knows: position and number of partitions.
    QueryAnswer& answer() { return answer_; }
    QueryAnswer finish() &&;

private:
    QueryPage(const ParsedQuery& query, const ContinuationSigner& signer, std::string scope)
        : query_(query), signer_(signer), scope_(std::move(scope)) {}

    const ParsedQuery& query_;
    const ContinuationSigner& signer_;
    std::string scope_;
    sql::Prepared prepared_;
    sql::PageLimits limits_;  // of what is left of the page
    std::optional<Start> start_;
    QueryAnswer answer_;
};

// One page of a query over a single source.
Result<QueryAnswer> run_over(const Request& request,
                             const ParsedQuery& query,
                             const ContinuationSigner& signer,
                             std::string_view scope,
                             sql::ItemSource& source);

}  // namespace orrery::service
