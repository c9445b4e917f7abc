// Lists and queries of everything but items: databases, containers, offers, scripts and partition
// key ranges. The catalog keeps them in memory, so a query scans them and sorts without an index.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "service/context.h"
#include "service/continuation.h"
#include "service/page.h"
#include "service/query_page.h"

namespace orrery::service {

// Numbers are never used twice, so a page can start after resources that have been removed since.
struct Listed {
    std::uint64_t number;
    std::function<json::Value()> body;  // called when a page or query gets to it
};

class ResourceFeed {
public:
    ResourceFeed(const ContinuationSigner& signer, const Clock& clock)
        : signer_(signer), clock_(clock) {}

    // One page of resources, whose numbers rise, or with a query of its rows. `scope` names the
    // list, so that tokens of another one are refused.
    Result<Page> page(Context& context,
                      const std::vector<Listed>& resources,
                      const QueryText* query,
                      const std::string& scope) const;

private:
    Result<Page> rows(Context& context,
                      const std::vector<Listed>& resources,
                      const QueryText& query,
                      const std::string& scope) const;
    Result<Page> list(const Request& request,
                      const std::vector<Listed>& resources,
                      const std::string& scope) const;

    mutable Statements statements_;  // thread-safe
    const ContinuationSigner& signer_;
    const Clock& clock_;
};

}  // namespace orrery::service
