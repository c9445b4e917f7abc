#include "service/item_feed.h"

#include <numeric>

#include "model/limits.h"
#include "partition/feed.h"
#include "service/consistency.h"
#include "service/errors.h"
#include "service/item_continuation.h"
#include "service/item_selection.h"
#include "service/item_target.h"
#include "service/metering.h"
#include "throughput/charges.h"

namespace orrery::service {

Result<Page> ItemFeed::read(Context& context, const catalog::Container& container) const {
    const Request& request = context.request;
    TRY(check_intended_container(request, container));
    const ItemSelection selection = TRY(select_items(request, container));
    const std::size_t items_max = TRY(page_size(request));
    const ItemTokens::Feed feed_tokens{.name = "items", .digest = {}, .name_v1 = "items"};
    const ItemTokens tokens(signer_, feed_tokens, container, selection);
    std::vector<UnreadPart> parts;
    if (request.continuation) parts = TRY(tokens.check(*request.continuation));
    std::vector<std::size_t> ranges(selection.last_range - selection.first_range + 1);
    std::iota(ranges.begin(), ranges.end(), selection.first_range);
    UnreadRanges unread(container, selection, std::move(ranges), parts);
    if (unread.empty()) return bad_request("The continuation token is not valid for this request.");

    Page out;
    double charged = 0;
    const double factor = read_cost_factor(request);
    for (;;) {
        const partition::FeedRequest feed{
            .scope = unread.scope(),
            .resume = unread.resume(),
            .items_max = items_max - out.count,
            .bytes_max = model::limits::kPageBytesMax - out.elements.size(),
            .at_least_one = out.count == 0,
            .default_ttl = container.definition.default_ttl};
        auto opened = partitions_.open(container, unread.range(), context.allowance);
        const bool ends_here = charged > 0 && !opened &&
                               (opened.error().code() == ErrorCode::kThrottled ||
                                opened.error().code() == ErrorCode::kElsewhere);
        if (ends_here) {
            // What was read so far is paid for. The next request gets the rest, from another node
            // if need be, or the refusal.
            out.continuation = tokens.sign(unread.parts_from(unread.resume()));
            return out;
        }
        const auto partition = TRY(std::move(opened));
        TRY(check_session(context, *partition));
        partition::FeedPage part = TRY(partition::read_feed(*partition, feed));
        if (part.count > 0 && out.count > 0) out.elements += ',';
        out.elements += part.items;
        out.count += part.count;
        const double charge = throughput::feed_charge(part.count, part.items.size()) * factor;
        charged += charge;
        context.receipt.charge = charged;
        spend(context, *partition, partition_key_of(feed.scope), charge);
        context.receipt.position = position_at(*partition, part.lsn);
        if (part.resume) {
            out.continuation = tokens.sign(unread.parts_from(*std::move(part.resume)));
            return out;
        }
        unread.finish_range();
        if (unread.empty()) return out;
        const bool full =
            out.count == items_max || out.elements.size() >= model::limits::kPageBytesMax;
        if (full) {
            out.continuation = tokens.sign(unread.parts_from(unread.resume()));
            return out;
        }
    }
}

}  // namespace orrery::service
