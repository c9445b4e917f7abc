#include "service/item_feed.h"

#include "model/limits.h"
#include "partition/feed.h"
#include "service/item_selection.h"

namespace orrery::service {

Result<ItemPage> ItemFeed::read(const Request& request, const catalog::Container& container) const {
    TRY(check_intended_container(request, container));
    const ItemSelection selection = TRY(select_items(request, container));
    const std::size_t items_max = TRY(page_size(request));
    const std::string scope = "items " + selection.text(container);

    std::size_t index = selection.first_range;
    partition::FeedRequest feed{.scope = selection.scope,
                                .resume = {},
                                .items_max = items_max,
                                .bytes_max = model::limits::kPageBytesMax,
                                .at_least_one = true,
                                .default_ttl = container.definition.default_ttl};
    if (request.continuation) {
        Continuation from = TRY(signer_.check(*request.continuation, scope));
        index = TRY(range_index(from.range_id, container));
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
