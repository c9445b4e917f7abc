#include "throughput/documentation.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include "throughput/charges.h"

namespace orrery::throughput {

namespace {

constexpr std::size_t kBytesPerKilobyte = 1024;

constexpr const char* kIntroduction = R"(# Request units

Every response says in `x-ms-request-charge` what its operation cost. A charge depends on what was done and on nothing
else: the same request on the same data always costs the same, whatever the size of the database, the load or the
machine. Only the time that a script runs depends on the machine; it counts in steps of 100 ms, which few scripts reach.
`src/throughput/charges.cc` is the only place that knows prices. This page is generated from it.

| Operation | Charge |
|---|---|
| point read | by the size of the item's JSON, see below |
| create, delete | by size, and 4/21 for each index entry written or removed |
| replace | the sizes of the old and the new version, and 4/21 for each index entry that differs |
| patch | as replace, and 0.4 for each operation |
| feed | as point reads of its items, at least 1 |
| query, each page | 2.3 for each partition; 0.0005 per index entry and 0.004 per item read, 9.5 per MB of items, 0.02 per KB of result |
| point read, feed, query with strong consistency or bounded staleness | twice as much |
| batch | the sum of its operations; each result has its own charge |
| stored procedure, trigger | 4.7, the sum of its operations, and 5 for every 100 ms it runs |
| database, container, script, ... | 4.95 for a change, reads as items |
| refused (404, 409, 412, ...), 304 | 1 |
| refused before it was looked into (401, 405, 413, ...) | 0 |

Between the sizes of the table charges follow a straight line. Failures of the server (5xx) cost nothing.

## Beside the service's published figures

Those of the service's documentation, and two that its users have measured: of the stored procedure and of the throttled
request. Older pages have other figures for items of 100 KB (10 to read, 50 to write). These are above those of the
newer table for 128 KB, which we follow.

)";

constexpr const char* kThrottling = R"(
## Throttling

Each physical partition has an equal part of the throughput of its container. Containers without throughput of their
own share that of their database. With autoscale the maximum applies, at once.

A partition earns request units continuously and keeps what it earns in one second. A request is admitted while
the balance is positive and then finishes whatever it costs. What is missing is a debt; until it is repaid, all further
requests to that partition are refused, and other partitions go on. So a query of 800 RU succeeds on 400 RU/s and blocks
its partition for one second if it began with a full balance, for two if it began with an empty one.

A refused request has status 429, sub-status 3200 and a charge of 0.38, which is not debited. Nothing was done.
`x-ms-retry-after-ms` says when to try again, after at most 5 seconds: the first client when the debt is repaid, each
further one when those before it will have been served. The SDKs wait and try again by themselves.

A batch, bulk, stored procedure or query page is admitted as a whole, and its charge is debited when it ends. A page
that reads several partitions needs a positive balance in each, and each bears an equal part. Work in the background,
such as removing expired items, is neither refused nor debited, and neither are operations on databases, containers,
scripts and offers.

| Setting | Effect |
|---|---|
| `x-ms-cosmos-priority-level: Low` | The request is admitted only while more than half of a second's request units are left, so that others (`High`, the default) are served first. |
| `x-ms-cosmos-throughput-bucket: 1` to `5` | The request uses the bucket of that number, which has its own share of the throughput, set as `throughputBuckets` in the content of the offer. When the bucket is used up, the sub-status is 3212. |
| `--burst-capacity` | Partitions with less than 3,000 RU/s save what they do not use, up to what they earn in 5 minutes, and spend it at up to 3,000 RU/s. |
| `--no-throttle` | Nothing is refused. Charges stay the same. |

`GET /status` shows whether the server throttles. `GET /dbs/{db}/colls/{coll}/pkranges?x-orrery-details=true` shows what
each partition uses, how many requests it has refused, and its hottest keys.
)";

struct Published {
    std::size_t kilobytes;
    double read;
    double write;
};

constexpr std::array<Published, 12> kSizes = {{{1, 1.00, 4.95},
                                               {2, 1.04, 6.29},
                                               {4, 1.14, 6.67},
                                               {8, 1.33, 7.04},
                                               {16, 1.67, 9.52},
                                               {32, 2.19, 11.23},
                                               {64, 4.76, 22.67},
                                               {128, 9.95, 48.19},
                                               {256, 20.28, 98.29},
                                               {512, 40.95, 184.57},
                                               {1024, 145.90, 625.00},
                                               {2048, 291.80, 1250.00}}};

struct Example {
    const char* operation;
    double published;
    double ours;
};

std::vector<Example> examples() {
    const std::size_t size = kBytesPerKilobyte;
    const ItemChange replaced{
        .old_bytes = size, .new_bytes = size, .terms_removed = 2, .terms_added = 2};
    ItemChange patched = replaced;
    patched.properties_patched = 2;
    const QueryWork one_item{.partitions = 1,
                             .index_entries = 1,
                             .items_loaded = 1,
                             .bytes_loaded = size,
                             .result_bytes = size};
    const QueryWork scan{
        .partitions = 1, .items_loaded = 60'951, .bytes_loaded = std::uint64_t{400} << 20};
    const double partition = query_charge({.partitions = 2}) - query_charge({.partitions = 1});
    const double script = script_charge(std::chrono::nanoseconds(0));
    return {
        {"strongly consistent point read of 1 KB", 2.0, kStrongReadFactor * read_charge(size)},
        {"create 1 KB, 10 index entries",
         7.0,
         write_charge({.new_bytes = size, .terms_added = 10})},
        {"replace 1 KB, 2 values differ", 10.8, write_charge(replaced)},
        {"patch 2 values of 1 KB", 11.6, write_charge(patched)},
        {"delete 1 KB, 10 index entries",
         7.0,
         write_charge({.old_bytes = size, .terms_removed = 10})},
        {"stored procedure that reads 1 KB", 5.63, script + read_charge(size)},
        {"read feed, five items of 1 KB", 5.0, feed_charge(5, 5 * size)},
        {"query that returns one item of 1 KB", 2.35, query_charge(one_item)},
        {"query that reads 60,951 items, 400 MB", 4059.95, query_charge(scan)},
        {"each further partition of a query", 2.5, partition},
        {"create a database", 4.95, kResourceCharge},
        {"request that is throttled", 0.38, kThrottledCharge},
    };
}

}  // namespace

std::string charge_documentation() {
    std::string page = kIntroduction;
    page += "| Size | read, published | ours | write without index, published | ours |\n";
    page += "|---|---|---|---|---|\n";
    for (const Published& row : kSizes) {
        page += fmt::format("| {} KB | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n",
                            row.kilobytes,
                            row.read,
                            read_charge(row.kilobytes * kBytesPerKilobyte),
                            row.write,
                            write_charge({.new_bytes = row.kilobytes * kBytesPerKilobyte}));
    }
    page += "\n| Example | published | ours |\n|---|---|---|\n";
    for (const Example& row : examples()) {
        page += fmt::format("| {} | {:.2f} | {:.2f} |\n", row.operation, row.published, row.ours);
    }
    page += kThrottling;
    return page;
}

}  // namespace orrery::throughput
