// Queries on the items of a container: text in, pages of rows out.

#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "catalog/resources.h"
#include "service/context.h"
#include "service/continuation.h"
#include "service/partitions.h"
#include "service/query_page.h"
#include "service/statements.h"
#include "sql/budget.h"
#include "sql/source.h"
#include "sql/udf.h"

namespace orrery::service {

// Query options from headers that other operations do not have.
struct QueryOptions {
    bool cross_partition = false;  // may go to all partitions
    bool parallelize = false;      // the client merges the partitions itself
    bool continuation_expected = true;
    // Our extension: the server merges the partitions for any query.
    bool merge = false;
    bool query_metrics = false;  // report the time of each step
    bool index_metrics = false;  // report the indexes used
    std::string_view supported_features;
};

// Whether the query must run where UDFs can be called. False if it does not parse; running it
// reports the error.
bool calls_udfs(const QueryText& text);

class Queries {
public:
    // `readers` must do nothing but read for queries over several partitions.
    Queries(Partitions& partitions,
            const ContinuationSigner& signer,
            const Clock& clock,
            ThreadPool& readers)
        : partitions_(partitions), signer_(signer), clock_(clock), readers_(readers) {}

    // Where blocking is not allowed: kWouldBlock if the query has to read from disk or takes long.
    // `udfs` are the container's and are called on this thread; without them a query that calls any
    // is refused.
    Result<QueryAnswer> run(Context& context,
                            const QueryOptions& options,
                            const catalog::Container& container,
                            const QueryText& text,
                            sql::UdfCaller* udfs = nullptr) const;

    // Runs a script's query: one page over the items of its transaction, all of one partition key.
    // The request holds the key, the page size and the continuation. `time` is what the script has
    // left.
    Result<QueryAnswer> run_over(Context& context,
                                 const catalog::Container& container,
                                 const QueryText& text,
                                 sql::ItemSource& source,
                                 sql::UdfCaller* udfs,
                                 std::chrono::milliseconds time) const;

    // The plan by which a client spreads the query over partitions, as JSON. 400 if the client
    // supports fewer features than the query needs.
    Result<std::string> plan(Context& context,
                             const QueryOptions& options,
                             const catalog::Container& container,
                             const QueryText& text) const;

private:
    using SteadyClock = std::chrono::steady_clock;

    Result<QueryAnswer> run(Context& context,
                            const QueryOptions& options,
                            const catalog::Container& container,
                            const ParsedQuery& query,
                            SteadyClock::time_point start) const;
    Result<ParsedQuery> parse(const catalog::Container& container,
                              const QueryText& text,
                              sql::Budget& budget,
                              sql::UdfCaller* udfs) const;

    mutable Statements statements_;  // thread-safe
    Partitions& partitions_;
    const ContinuationSigner& signer_;
    const Clock& clock_;
    ThreadPool& readers_;
};

}  // namespace orrery::service
