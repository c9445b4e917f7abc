// Queries on the items of a container: text in, pages of rows out.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "catalog/resources.h"
#include "service/continuation.h"
#include "service/item_target.h"
#include "service/page.h"
#include "service/partitions.h"
#include "service/request.h"
#include "sql/exec/page.h"

namespace orrery::service {

// What a client says about its query beyond the request's headers that all operations have.
struct QueryOptions {
    bool plain_text = false;       // the body is the query itself
    bool cross_partition = false;  // may go to all partitions
    bool parallelize = false;      // the client merges the partitions itself
    bool continuation_expected = true;
    // Ours: the server merges the partitions, whatever the query.
    bool merge = false;
    bool query_metrics = false;  // the answer says how long each step took
    bool index_metrics = false;  // and which indexes were used
    std::string_view supported_features;
};

// How long it took; what running consists of is in the counters, if the client wants to know.
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

// Whether the query has to be run where UDFs can be called. False also when it is no query; running
// it says why.
bool calls_udfs(const QueryOptions& options, std::string_view body);

class Queries {
public:
    // The readers are threads that do nothing but read for queries over several partitions.
    Queries(Partitions& partitions,
            const ContinuationSigner& signer,
            const Clock& clock,
            ThreadPool& readers)
        : partitions_(partitions), signer_(signer), clock_(clock), readers_(readers) {}

    // Reads from disk: call it where blocking is allowed. The UDFs are those of the container; they
    // are called on this thread, and a query that calls any is refused without them.
    Result<QueryAnswer> run(const Request& request,
                            const QueryOptions& options,
                            const catalog::Container& container,
                            std::string_view body,
                            sql::UdfCaller* udfs = nullptr) const;

    // A query of a script: one page over the items of its transaction, which all have one partition
    // key. The request has the key, the page size and the continuation.
    Result<QueryAnswer> run_over(const Request& request,
                                 const catalog::Container& container,
                                 std::string_view body,
                                 sql::ItemSource& source,
                                 sql::UdfCaller* udfs) const;

    // How a client is to spread the query over the partitions: JSON. 400 when it declares less than
    // the query needs.
    Result<std::string> plan(const Request& request,
                             const QueryOptions& options,
                             const catalog::Container& container,
                             std::string_view body) const;

private:
    Partitions& partitions_;
    const ContinuationSigner& signer_;
    const Clock& clock_;
    ThreadPool& readers_;
};

}  // namespace orrery::service
