// The requests of the load generator, built before the measurement starts and signed as an SDK
// signs them. A signature is valid for fifteen minutes, so a run must not be longer.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::bench {

struct Target {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    std::string key;            // base64
    std::string authorization;  // the header to send; empty: a signature of the key
    std::string database;       // both are created by prepare_container()
    std::string container;
    std::int64_t now_seconds = 0;
};

// Produces one request after the other.
class Workload {
public:
    Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;
    virtual ~Workload() = default;

    // Valid until the next call for the same connection; empty when there are no more requests.
    // `buffer` belongs to the connection, to build the request in.
    virtual std::string_view next(std::string& buffer) = 0;
};

// Point reads of item 0, forever.
std::unique_ptr<Workload> make_echo_workload(const Target& target);
// Point reads of items 0 to items - 1 in random order, forever.
std::unique_ptr<Workload> make_read_workload(const Target& target, std::size_t items);
// Creates of items of 1 KB: `limit` of them, numbered from `first`.
std::unique_ptr<Workload> make_create_workload(const Target& target,
                                               std::uint64_t first,
                                               std::uint64_t limit);

// Creates of varied items of 1 KB, for queries: `limit` of them, numbered from `first`.
std::unique_ptr<Workload> make_fill_workload(const Target& target,
                                             std::uint64_t first,
                                             std::uint64_t limit);

// The same in bulk requests of so many items; the container must have one partition.
inline constexpr std::size_t kBulkItems = 100;
std::unique_ptr<Workload> make_bulk_workload(const Target& target,
                                             std::uint64_t first,
                                             std::uint64_t limit);

// Requests described by the JSON object {"method", "path", "type", "link", "partitionKey",
// "headers", "body", "variations", "step"}: `variations` requests for the numbers 0, step, 2 *
// step,
// ..., filled in (item.h), sent in random order forever.
Result<std::unique_ptr<Workload>> make_described_workload(const Target& target,
                                                          std::string_view description);

// The requests that create the database and the container; 409 answers are accepted too.
std::string database_request(const Target& target);
std::string container_request(const Target& target);

}  // namespace orrery::bench
