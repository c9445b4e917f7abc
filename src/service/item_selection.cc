#include "service/item_selection.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "service/errors.h"
#include "service/item_target.h"

namespace orrery::service {

namespace {

// "3" or "AQAAAIAAAAE=,3".
Result<std::size_t> range_of_header(std::string_view header, const catalog::Container& container) {
    const std::size_t comma = header.rfind(',');
    const std::string_view number =
        comma == std::string_view::npos ? header : header.substr(comma + 1);
    std::uint32_t id = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), id);
    if (number.empty() || error != std::errc() || end != number.data() + number.size()) {
        return bad_request("The partition key range id is not valid.");
    }
    return range_index(id, container);
}

// Leaves the ranges that hold some of the selected EPKs, but at least one: reading it then returns
// nothing.
void narrow_ranges(ItemSelection& selection, const catalog::Container& container) {
    const model::EpkRange& epks = selection.epks;
    while (selection.first_range < selection.last_range &&
           container.ranges[selection.first_range].epks.max_exclusive <= epks.min_inclusive) {
        ++selection.first_range;
    }
    while (selection.last_range > selection.first_range &&
           container.ranges[selection.last_range].epks.min_inclusive >= epks.max_exclusive) {
        --selection.last_range;
    }
}

// Restricts the selection to these EPKs.
void select_epks(ItemSelection& selection,
                 const catalog::Container& container,
                 const model::EpkRange& wanted) {
    auto& scope = selection.scope.epks;
    scope = scope ? model::overlap(*scope, wanted) : wanted;
    selection.epks = model::overlap(selection.epks, *scope);
    narrow_ranges(selection, container);
}

void select_key(ItemSelection& selection,
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
    if (selection.scope.epks->empty()) return;
    selection.scope = {.partition_key = std::move(ref),
                       .epks = std::nullopt,
                       .epk_is_unique = model::has_unique_epk(key, definition.kind)};
}

}  // namespace

ItemSelection ItemSelection::within(const model::EpkRange& wanted,
                                    const catalog::Container& container) const {
    ItemSelection out = *this;
    out.epks = model::overlap(epks, wanted);
    narrow_ranges(out, container);
    return out;
}

partition::FeedScope ItemSelection::scope_of(const catalog::PartitionRange& range,
                                             const model::EpkRange& wanted) const {
    if (scope.partition_key) return scope;
    partition::FeedScope out = scope;
    out.epks.reset();
    if (wanted != range.epks) out.epks = wanted;
    return out;
}

std::string ItemSelection::text_v1(const catalog::Container& container) const {
    std::string out = container.rid.text() + " " +
                      std::to_string(container.ranges[first_range].id) + "-" +
                      std::to_string(container.ranges[last_range].id);
    if (scope.partition_key) out += " key " + *scope.partition_key->partition_key;
    if (scope.epks) {
        out += " epks " + to_hex_upper(scope.epks->min_inclusive) + "-" +
               to_hex_upper(scope.epks->max_exclusive);
    }
    return out;
}

Result<std::size_t> range_index(std::uint32_t id, const catalog::Container& container) {
    const auto found =
        std::find_if(container.ranges.begin(),
                     container.ranges.end(),
                     [&](const catalog::PartitionRange& range) { return range.id == id; });
    if (found == container.ranges.end()) {
        constexpr std::uint32_t kPartitionKeyRangeGone = 1002;
        return Error(ErrorCode::kGone,
                     "The requested partition key range no longer exists.",
                     kPartitionKeyRangeGone);
    }
    return static_cast<std::size_t>(found - container.ranges.begin());
}

Result<ItemSelection> select_items(const Request& request, const catalog::Container& container) {
    ItemSelection selection;
    selection.epks.max_exclusive = model::kEpkEnd;
    selection.last_range = container.ranges.size() - 1;
    if (request.range_id) {
        selection.first_range = TRY(range_of_header(*request.range_id, container));
        selection.last_range = selection.first_range;
        selection.epks = container.ranges[selection.first_range].epks;
    }
    if (request.start_epk || request.end_epk) {
        const auto start = model::parse_epk(request.start_epk.value_or(""));
        const auto end = model::parse_epk(request.end_epk.value_or("FF"));
        if (!start || !end || *start > *end) {
            return bad_request("The range of effective partition keys is not valid.");
        }
        select_epks(selection, container, {.min_inclusive = *start, .max_exclusive = *end});
    }
    // Without a header, select all items: in a container without a partition key,
    // partition_key_of() would return the none key.
    if (request.partition_key) {
        const auto key = TRY(partition_key_of(request, container));
        if (key) select_key(selection, container, *key);
    }
    return selection;
}

}  // namespace orrery::service
