// Attachments of items and their media, which old SDKs still use. Reads may block; writes go to the
// partition's executor as those of items do.

#pragma once

#include <optional>
#include <string>

#include "base/random.h"
#include "base/result.h"
#include "catalog/resources.h"
#include "model/attachment.h"
#include "partition/attachments.h"
#include "service/context.h"
#include "service/items.h"
#include "service/page.h"
#include "service/partitions.h"
#include "service/resource_feed.h"

namespace orrery::service {

struct AttachmentAddress {
    ItemAddress owner;
    // By id, or by rid.
    std::string id;
    std::optional<model::AttachmentRid> rid;
    // By a link to its media: the request need not name the partition key.
    bool as_media = false;
};

struct MediaAnswer {
    ItemAnswer attachment;
    std::string content_type;
    std::string bytes;
};

class Attachments {
public:
    Attachments(Partitions& partitions, const ResourceFeed& feed, Random& random)
        : partitions_(partitions), feed_(feed), ids_(random) {}

    // The rid of the item goes into the feed's envelope.
    struct List {
        std::string owner_rid;
        Page page;
    };
    Result<List> list(Context& context,
                      const catalog::Container& container,
                      const ItemAddress& owner,
                      const QueryText* query);

    Result<ItemAnswer> read(Context& context,
                            const catalog::Container& container,
                            const AttachmentAddress& address);
    // 404 if the attachment links to media elsewhere.
    Result<MediaAnswer> read_media(Context& context,
                                   const catalog::Container& container,
                                   const AttachmentAddress& address);

    // A body of media without an id gets a new one.
    void create(Context& context,
                const catalog::Container& container,
                const ItemAddress& owner,
                model::AttachmentBody body,
                const ItemCallback& done);
    void upsert(Context& context,
                const catalog::Container& container,
                const ItemAddress& owner,
                model::AttachmentBody body,
                const ItemCallback& done);
    void replace(Context& context,
                 const catalog::Container& container,
                 const AttachmentAddress& address,
                 model::AttachmentBody body,
                 const ItemCallback& done);
    void remove(Context& context,
                const catalog::Container& container,
                const AttachmentAddress& address,
                const ItemCallback& done);

private:
    Result<LocatedItem> locate(const Context& context,
                               const catalog::Container& container,
                               const AttachmentAddress& address);
    // The item in whichever range holds it now.
    Result<LocatedItem> find_anywhere(const Context& context,
                                      const catalog::Container& container,
                                      const model::ItemRid& rid);
    using Put = Result<partition::WrittenAttachment> (partition::ItemWriter::*)(
        const partition::ItemRef&, const model::AttachmentBody&, const partition::WriteRules&);
    void put(Context& context,
             const catalog::Container& container,
             const ItemAddress& owner,
             model::AttachmentBody body,
             Put operation,
             const ItemCallback& done);

    Partitions& partitions_;
    const ResourceFeed& feed_;
    GuidSequence ids_;
};

}  // namespace orrery::service
