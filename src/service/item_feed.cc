#include "service/item_feed.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "model/limits.h"
#include "partition/feed.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

// What to read: a run of ranges, and what of them.
struct Selection {
    std::size_t first_range = 0;
    std::size_t last_range = 0;
    partition::FeedScope scope;

    // Spells the selection out, so that a continuation of another one is recognised.
    std::string text(const catalog::Container& container) const {
        std::string out = "items " + container.rid.text() + " " +
                          std::to_string(container.ranges[first_range].id) + "-" +
                          std::to_string(container.ranges[last_range].id);
        if (scope.partition_key) out += " key " + *scope.partition_key->partition_key;
        if (scope.epks) {
            out += " epks " + to_hex_upper(scope.epks->min_inclusive) + "-" +
                   to_hex_upper(scope.epks->max_exclusive);
        }
        return out;
    }
};

// "3" or "AQAAAIAAAAE=,3".
Result<std::size_t> range_index(std::string_view header, const catalog::Container& container) {
    const std::size_t comma = header.rfind(',');
    const std::string_view number =
        comma == std::string_view::npos ? header : header.substr(comma + 1);
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
    if (number.empty() || error != std::errc() || end != number.data() + number.size()) {
        return bad_request("The partition key range id is not valid.");
    }
    const auto found =
        std::find_if(container.ranges.begin(),
                     container.ranges.end(),
                     [&](const catalog::PartitionRange& range) { return range.id == id; });
    if (found == container.ranges.end()) {
        constexpr std::uint32_t kPartitionKeyRangeGone = 1002;
        return Error(ErrorCode::kGone,
                     "The requested partition key range does not exist any more.",
                     kPartitionKeyRangeGone);
    }
    return static_cast<std::size_t>(found - container.ranges.begin());
}

// What is in both; an empty range when nothing is.
model::EpkRange overlap(const model::EpkRange& a, const model::EpkRange& b) {
    std::string min = std::max(a.min_inclusive, b.min_inclusive);
    std::string max = std::max(min, std::min(a.max_exclusive, b.max_exclusive));
    return {.min_inclusive = std::move(min), .max_exclusive = std::move(max)};
}

// Narrows the selection down to these EPKs.
void select_epks(Selection& selection,
                 const catalog::Container& container,
                 const model::EpkRange& wanted) {
    auto& epks = selection.scope.epks;
    epks = epks ? overlap(*epks, wanted) : wanted;
    // At least one range stays, also when none has any of these: reading it then finds nothing.
    while (selection.first_range < selection.last_range &&
           container.ranges[selection.first_range].epks.max_exclusive <= epks->min_inclusive) {
        ++selection.first_range;
    }
    while (selection.last_range > selection.first_range &&
           container.ranges[selection.last_range].epks.min_inclusive >= epks->max_exclusive) {
        --selection.last_range;
    }
}

void select_key(Selection& selection,
                const catalog::Container& container,
                const model::PartitionKeyValue& key) {
    const model::PartitionKeyDefinition& definition = container.definition.partition_key;
    if (!definition.system_key && key.size() < definition.paths.size()) {
        select_epks(selection, container, model::prefix_range(key));
        return;
    }
    partition::ItemRef ref;
    ref.epk = model::effective_partition_key(key, definition.kind);
    ref.partition_key = key.encode();
    select_epks(selection, container, {.min_inclusive = ref.epk, .max_exclusive = ref.epk + '\0'});
    const model::EpkRange& left = *selection.scope.epks;
    if (left.min_inclusive == left.max_exclusive) return;
    selection.scope = {.partition_key = std::move(ref), .epks = std::nullopt};
}

Result<Selection> select(const Request& request, const catalog::Container& container) {
    Selection selection{.first_range = 0, .last_range = container.ranges.size() - 1, .scope = {}};
    if (request.range_id) {
        selection.first_range = TRY(range_index(*request.range_id, container));
        selection.last_range = selection.first_range;
    }
    if (request.start_epk || request.end_epk) {
        const auto start = model::parse_epk(request.start_epk.value_or(""));
        const auto end = model::parse_epk(request.end_epk.value_or("FF"));
        if (!start || !end || *start > *end) {
            return bad_request("The range of effective partition keys is not valid.");
        }
        select_epks(selection, container, {.min_inclusive = *start, .max_exclusive = *end});
    }
    // The none key of a container without partition key selects nothing: it has no other items an
    // old client could mean.
    if (request.partition_key) {
        const auto key = TRY(partition_key_of(request, container));
        if (key) select_key(selection, container, *key);
    }
    return selection;
}

}  // namespace

Result<ItemPage> ItemFeed::read(const Request& request, const catalog::Container& container) const {
    TRY(check_intended_container(request, container));
    const Selection selection = TRY(select(request, container));
    const std::size_t items_max = TRY(page_size(request));
    const std::string scope = selection.text(container);

    std::size_t index = selection.first_range;
    partition::FeedRequest feed{.scope = selection.scope,
                                .resume = {},
                                .items_max = items_max,
                                .bytes_max = model::limits::kPageBytesMax,
                                .at_least_one = true,
                                .default_ttl = container.definition.default_ttl};
    if (request.continuation) {
        Continuation from = TRY(signer_.check(*request.continuation, scope));
        index = TRY(range_index(std::to_string(from.range_id), container));
        feed.resume = std::move(from.resume);
    }

    ItemPage out;
    for (;;) {
        const auto partition = TRY(partitions_.open(container, index));
        TRY(check_session(request, *partition));
        partition::FeedPage part = TRY(partition::read_feed(*partition, feed));
        if (part.count > 0 && out.page.count > 0) out.page.elements += ',';
        out.page.elements += part.items;
        out.page.count += part.count;
        out.position = {.range_id = partition->identity().range_id, .lsn = part.lsn};
        if (part.resume) {
            out.page.continuation = signer_.sign(
                {.range_id = container.ranges[index].id, .resume = *part.resume}, scope);
            return out;
        }
        if (index == selection.last_range) return out;
        ++index;
        feed.resume.clear();
        feed.items_max = items_max - out.page.count;
        const bool full =
            feed.items_max == 0 || out.page.elements.size() >= model::limits::kPageBytesMax;
        if (full) {
            out.page.continuation =
                signer_.sign({.range_id = container.ranges[index].id, .resume = {}}, scope);
            return out;
        }
        feed.bytes_max = model::limits::kPageBytesMax - out.page.elements.size();
        feed.at_least_one = out.page.count == 0;
    }
}

}  // namespace orrery::service
