// The change feed of a container: the newest version of every item that has been created or
// replaced since a position, or all versions and deletes since then; oldest change first. All of
// them, or those of a partition key (or of the first levels of a hierarchical one), of a partition
// key range, or of a part of the hash space.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "catalog/resources.h"
#include "service/change_readers.h"
#include "service/context.h"
#include "service/page.h"
#include "service/partitions.h"
#include "service/placement.h"
#include "service/query_page.h"

namespace orrery::service {

// What the headers of a request for changes say, besides those of any feed.
struct ChangeFeedOptions {
    // Where to begin if the request has no etag: at the beginning, or at this time (Unix seconds).
    std::optional<std::int64_t> since;
    // Wraps each item: {"current":{…},"metadata":{"lsn":…,"crts":…}}.
    bool envelope = false;
    // Every version and every delete, in envelopes; only from now or from an etag. The container
    // must keep them.
    bool all_versions = false;
    std::optional<QueryText> filter;
    // Ends each item with a record separator.
    bool separated = false;
};

// Not in any JSON text.
inline constexpr char kRecordSeparator = '\x1e';

// The partitions in which a poll found nothing, and tells whether that has changed. Much cheaper
// than another poll.
class QuietPartitions {
public:
    void add(const std::shared_ptr<partition::Partition>& partition, partition::Lsn lsn) {
        places_.push_back({.partition = partition, .lsn = lsn});
    }
    // False also if a poll would find other partitions. Does not notice that the container is gone.
    bool are_quiet() const;

private:
    struct Place {
        std::weak_ptr<partition::Partition> partition;
        partition::Lsn lsn = 0;
    };
    std::vector<Place> places_;
};

struct ChangesAnswer {
    Page page;             // without continuation: that is the etag
    std::string etag;      // where to go on
    model::EpkRange epks;  // what the client reads
    // False if there is nothing new (304). True without items if there may be.
    bool modified = false;
    QuietPartitions quiet;  // if there is nothing new
    // How many LSNs the reader is still behind, as far as the page has looked.
    std::uint64_t behind = 0;
};

class ChangeFeed {
public:
    // Pages with changes or none, and polls that found nothing new.
    struct Stats {
        std::uint64_t pages = 0;
        std::uint64_t idle_polls = 0;
    };

    // Without placement all partitions are here.
    ChangeFeed(Partitions& partitions, const Clock& clock, Placement* placement = nullptr)
        : partitions_(partitions), clock_(clock), placement_(placement) {}

    // Where it may not block: kWouldBlock unless there is nothing new, which it finds out without
    // reading anything.
    Result<ChangesAnswer> read(Context& context,
                               const catalog::Container& container,
                               const ChangeFeedOptions& options) const;

    Stats stats() const;
    // The clients that poll it.
    ChangeReaders& readers() const { return readers_; }

private:
    struct Counts {
        metrics::Count pages;
        metrics::Count idle_polls;
    };

    Partitions& partitions_;
    const Clock& clock_;
    Placement* const placement_;
    mutable metrics::PerSlot<Counts> counts_;
    mutable ChangeReaders readers_;
};

}  // namespace orrery::service
