// Shared by queries on items and on resources of the catalog: parses and checks the text, reads a
// page of rows from one source, and signs the continuation token.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "service/context.h"
#include "service/continuation.h"
#include "service/page.h"
#include "service/statements.h"
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
    StatementPtr statement;
    sql::ast::QueryPtr syntax;  // of the statement
    sql::BindingContext context;
};

Result<sql::QuerySpec> parse_spec(const QueryText& text);

// `surroundings` are those of the page that will be read. A query that calls UDFs is refused when
// they have none.
Result<ParsedQuery> parse_query(Statements& statements,
                                const QueryText& text,
                                std::vector<sql::ComputedProperty> computed,
                                const sql::Surroundings& surroundings);

struct QueryAnswer {
    Page page;
    sql::Access access;   // of the last range that was read
    bool sorted = false;  // the query has an ORDER BY
};

// Identifies the query, so that a continuation of another one is refused. A position in an ORDER BY
// is valid for every query with that order: SDKs send it with a filter that starts there (protocol
// §6.6).
std::string digest_of(const ParsedQuery& query);

Error bad_continuation();

// One page of a query: the rows of one source. The query and the context must outlive the page.
class QueryPage {
public:
    struct Options {
        bool describe = false;  // the answer shows the plan
        bool measure = false;   // the answer shows how long each step took
        bool seeks_end = true;  // see sql::PageLimits
    };

    static Result<QueryPage> open(Context& context, const ParsedQuery& query, Options options);

    // Fills the page. Returns where to resume when rows are left.
    Result<std::optional<sql::Resume>> read(sql::ItemSource& source, const sql::Resume& from);

    // The caller fills in what only it knows: the continuation.
    QueryAnswer& answer() { return answer_; }
    QueryAnswer finish() &&;

private:
    QueryPage(Context& context, const ParsedQuery& query) : context_(context), query_(query) {}

    Context& context_;
    const ParsedQuery& query_;
    sql::Prepared prepared_;
    sql::PageLimits limits_;
    QueryAnswer answer_;
};

// One page of a query over a single source. `sign` makes a token of the position to continue at.
Result<QueryAnswer> run_over(Context& context,
                             const ParsedQuery& query,
                             sql::ItemSource& source,
                             const sql::Resume& from,
                             const std::function<std::string(const sql::Resume&)>& sign);

}  // namespace orrery::service
