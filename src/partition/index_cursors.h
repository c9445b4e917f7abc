// Cursors over index entries, returned by IndexReader.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "index/cursors.h"
#include "index/path_policy.h"
#include "index/value_bounds.h"
#include "storage/engine.h"

namespace orrery::partition {

using index::DocnumCursor;
using index::TermCursor;

// The entries whose keys begin with `prefix`, within the bounds. `orders` has one element per value
// in each key: one ascending, or those of a composite index.
std::unique_ptr<TermCursor> walk_terms(const storage::Reader& store,
                                       std::string prefix,
                                       std::vector<index::Order> orders,
                                       const index::ValueBounds& bounds,
                                       storage::Direction direction);

// A list of items: keys that begin with `prefix` and end in a docnum.
struct Posting {
    std::string prefix;
    bool to_be_checked = false;
};

// All lists merged into one, ordered by docnum.
std::unique_ptr<DocnumCursor> walk_postings(const storage::Reader& store,
                                            const std::vector<Posting>& postings,
                                            storage::Direction direction);

}  // namespace orrery::partition
