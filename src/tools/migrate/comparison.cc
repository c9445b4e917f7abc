#include "tools/migrate/comparison.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

namespace orrery::tools {

namespace {

bool before(const Hash128& a, const Hash128& b) {
    return std::tie(a.h1, a.h2) < std::tie(b.h1, b.h2);
}

Result<Hash128> content_hash(const std::string& item) {
    const auto value = TRY(json::Value::parse(item));
    return murmur3_x64_128(canonical_text(value), 0);
}

}  // namespace

Comparer::Comparer(const Sides& sides,
                   unsigned parallel,
                   cli::ProgressCounts& counts,
                   const std::atomic<bool>& interrupted)
    : sides_(sides),
      parallel_(parallel),
      counts_(counts),
      interrupted_(interrupted),
      mapper_(sides) {}

Result<Comparison> Comparer::run() {
    Comparison out;
    TRY(for_each_item(sides_.source, [&](std::string_view item) { return take(item, true, out); }));
    TRY(for_each_item(sides_.target,
                      [&](std::string_view item) { return take(item, false, out); }));
    find_suspects();
    if (!suspects_.empty()) TRY(identify(out));
    return out;
}

struct Comparer::Reading {
    const Side& side;
    const std::vector<client::Range> ranges;
    const TakeItem& take;  // guarded by the mutex
    std::mutex mutex = {};
    std::optional<Error> error = {};  // guarded by the mutex
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
};

Status Comparer::for_each_item(const Side& side, const TakeItem& take) {
    client::Client listing(side.account, clock_, {}, &interrupted_);
    Reading reading{
        .side = side, .ranges = TRY(client::read_ranges(listing, side.container)), .take = take};
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::min<std::size_t>(parallel_, reading.ranges.size()); ++i) {
        workers.emplace_back([&] { read_ranges(reading); });
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    if (interrupted_) return Error(ErrorCode::kTimeout, "interrupted");
    if (reading.error) return reading.error->copy();
    return {};
}

void Comparer::read_ranges(Reading& reading) {
    client::Client client(reading.side.account, clock_, {}, &interrupted_);
    for (std::size_t i = reading.next++; i < reading.ranges.size() && !reading.failed;
         i = reading.next++) {
        const Status done = read_range(reading, reading.ranges[i], client);
        if (done) continue;
        const std::lock_guard lock(reading.mutex);
        if (!reading.error) reading.error = done.error().copy();
        reading.failed = true;
    }
}

Status Comparer::read_range(Reading& reading, const client::Range& range, client::Client& client) {
    client::Selection selection;
    selection.range = range;
    client::Pages pages(client, reading.side.items(), std::move(selection));
    while (!reading.failed) {
        const auto page = TRY(pages.next());
        if (!page) break;
        counts_.add_charge(page->response.charge);
        const client::Elements items = TRY(page->elements());
        const std::lock_guard lock(reading.mutex);
        for (const std::string_view item : items) {
            TRY(reading.take(item));
        }
    }
    return {};
}

Status Comparer::take(std::string_view item, bool of_source, Comparison& out) {
    ++counts_.items;
    auto mapped = mapper_.mapped(item);
    if (!mapped) {
        if (!of_source) return mapped.error().copy();
        out.rejected.emplace_back(mapped.error().message(), item);
        return {};
    }
    const Entry entry{.key = key_hash(mapped->partition_key, mapped->id),
                      .content = TRY(content_hash(mapped->json))};
    (of_source ? source_ : target_).push_back(entry);
    ++(of_source ? out.source_items : out.target_items);
    (of_source ? out.source_checksum : out.target_checksum).add(entry.content);
    return {};
}

// Keys that are not exactly once in both, with the same content.
void Comparer::find_suspects() {
    const auto by_key = [](const Entry& a, const Entry& b) { return before(a.key, b.key); };
    std::sort(source_.begin(), source_.end(), by_key);
    std::sort(target_.begin(), target_.end(), by_key);
    auto source = source_.begin();
    auto target = target_.begin();
    while (source != source_.end() || target != target_.end()) {
        const bool from_source = source != source_.end() &&
                                 (target == target_.end() || !before(target->key, source->key));
        const Hash128 key = from_source ? source->key : target->key;
        const auto differs = [&](const Entry& entry) { return !(entry.key == key); };
        const auto source_end = std::find_if(source, source_.end(), differs);
        const auto target_end = std::find_if(target, target_.end(), differs);
        const bool same = source_end - source == 1 && target_end - target == 1 &&
                          source->content == target->content;
        if (!same) suspects_.push_back(key);
        source = source_end;
        target = target_end;
    }
    source_ = {};
    target_ = {};
}

bool Comparer::is_suspect(const Hash128& key) const {
    return std::binary_search(suspects_.begin(), suspects_.end(), key, before);
}

// Reads again, as hashes do not tell which items they are of.
Status Comparer::identify(Comparison& out) {
    for (const Side* const side : {&sides_.source, &sides_.target}) {
        TRY(for_each_item(*side, [&](std::string_view item) -> Status {
            const auto mapped = mapper_.mapped(item);
            if (!mapped || !is_suspect(key_hash(mapped->partition_key, mapped->id))) return {};
            out.suspects.push_back({.id = mapped->id,
                                    .source_key = mapper_.source_key(item),
                                    .target_key = mapped->partition_key});
            return {};
        }));
    }
    std::sort(out.suspects.begin(), out.suspects.end());
    const auto last = std::unique(out.suspects.begin(), out.suspects.end());
    out.suspects.erase(last, out.suspects.end());
    return {};
}

}  // namespace orrery::tools
