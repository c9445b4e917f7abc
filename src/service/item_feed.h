// Reads the items of a container page by page: all of them, those of one partition key (or of the
// first levels of a hierarchical one), of one partition key range, or of a part of it.

#pragma once

#include "base/result.h"
#include "catalog/resources.h"
#include "service/continuation.h"
#include "service/item_target.h"
#include "service/page.h"
#include "service/partitions.h"
#include "service/request.h"

namespace orrery::service {

struct ItemPage {
    Page page;
    Position position;  // of the last range that was read
};

class ItemFeed {
public:
    ItemFeed(Partitions& partitions, const ContinuationSigner& signer)
        : partitions_(partitions), signer_(signer) {}

    // Reads from disk: call only where blocking is allowed.
    Result<ItemPage> read(const Request& request, const catalog::Container& container) const;

private:
    Partitions& partitions_;
    const ContinuationSigner& signer_;
};

}  // namespace orrery::service
