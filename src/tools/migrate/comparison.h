// Compares two containers: reads all items of both, and finds those that differ or are in one only.
// Takes 32 bytes of memory for each item of either.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/progress.h"
#include "client/pages.h"
#include "tools/migrate/canonical.h"
#include "tools/migrate/side.h"

namespace orrery::tools {

struct Comparison {
    std::uint64_t source_items = 0;  // without those that cannot be in the target
    std::uint64_t target_items = 0;
    Checksum source_checksum;
    Checksum target_checksum;
    // What may differ: items may have changed between the two readings. Sorted, each once.
    std::vector<ItemPlace> suspects;
    // Items that cannot be in the target: "reason" and the item.
    std::vector<std::pair<std::string, std::string>> rejected;
};

// For use by one thread; reads in several.
class Comparer {
public:
    Comparer(const Sides& sides,
             unsigned parallel,
             cli::ProgressCounts& counts,
             const std::atomic<bool>& interrupted);

    Result<Comparison> run();

private:
    struct Entry {
        Hash128 key;
        Hash128 content;
    };
    using TakeItem = std::function<Status(std::string_view item)>;  // for one thread at a time

    // What the threads of a reading share.
    struct Reading;
    Status for_each_item(const Side& side, const TakeItem& take);
    void read_ranges(Reading& reading);
    Status read_range(Reading& reading, const client::Range& range, client::Client& client);
    Status take(std::string_view item, bool of_source, Comparison& out);
    void find_suspects();
    bool is_suspect(const Hash128& key) const;
    Status identify(Comparison& out);

    const Sides& sides_;
    const unsigned parallel_;
    cli::ProgressCounts& counts_;
    const std::atomic<bool>& interrupted_;
    const SystemClock clock_;
    const ItemMapper mapper_;
    std::vector<Entry> source_;
    std::vector<Entry> target_;
    std::vector<Hash128> suspects_;  // keys, sorted
};

}  // namespace orrery::tools
