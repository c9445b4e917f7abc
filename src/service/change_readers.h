// The clients that poll change feeds, and how far they have read. They do not introduce themselves:
// a reader is recognized by the etag that it was given last, and two readers at the same position
// are one. Memory is bounded; readers that have not been seen for a while are forgotten.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "catalog/catalog.h"
#include "model/effective_partition_key.h"
#include "model/resource_id.h"
#include "service/partitions.h"

namespace orrery::service {

class ChangeReaders {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    static constexpr std::size_t kReadersMax = 1000;
    static constexpr std::size_t kClientBytesMax = 80;
    static constexpr std::chrono::minutes kForgottenAfter{5};

    // One page, or a poll that found nothing.
    struct Poll {
        model::ContainerRid container;
        model::EpkRange epks;                    // what the client reads
        std::string_view client;                 // how it calls itself; any text
        std::optional<std::string_view> before;  // the etag it sent
        std::string_view after;                  // the etag it got
    };

    struct Reader {
        std::uint64_t number = 0;  // in the order of appearance
        model::ContainerRid container;
        model::EpkRange epks;
        std::string client;
        std::string previous;  // a client that did not get the last answer sends it again
        std::string etag;
        TimePoint seen{};
    };

    void note(const Poll& poll, TimePoint now);
    // By number.
    std::vector<Reader> readers(TimePoint now);

private:
    using Readers = std::unordered_multimap<std::size_t, Reader>;  // by hash of container and etag

    Readers::iterator find(const Poll& poll);
    void forget(TimePoint now);

    std::mutex mutex_;
    Readers readers_;
    std::uint64_t last_number_ = 0;
};

// How many changes (LSNs) a reader has still to read. Partitions that are not open count as read:
// nobody has used them for a while.
std::uint64_t lag_of(const ChangeReaders::Reader& reader,
                     const catalog::Container& container,
                     const Partitions& partitions);

}  // namespace orrery::service
