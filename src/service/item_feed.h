// Reads the items of a container page by page: all of them, those of one partition key (or of the
// first levels of a hierarchical one), of one partition key range, or of a part of it.

#pragma once

#include "base/result.h"
#include "catalog/resources.h"
#include "service/context.h"
#include "service/continuation.h"
#include "service/page.h"
#include "service/partitions.h"

namespace orrery::service {

class ItemFeed {
public:
    ItemFeed(Partitions& partitions, const ContinuationSigner& signer)
        : partitions_(partitions), signer_(signer) {}

    // Reads from disk: call only where blocking is allowed.
    Result<Page> read(Context& context, const catalog::Container& container) const;

private:
    Partitions& partitions_;
    const ContinuationSigner& signer_;
};

}  // namespace orrery::service
