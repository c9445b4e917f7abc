// Sets of items from the index: ascending item numbers without duplicates. Unions and intersections
// are evaluated lazily.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "sql/budget.h"
#include "sql/source.h"

namespace orrery::sql {

class Postings {
public:
    Postings() = default;
    Postings(const Postings&) = delete;
    Postings& operator=(const Postings&) = delete;
    virtual ~Postings() = default;

    // False at the end, or after an error (see status()).
    virtual bool valid() const = 0;
    virtual ItemNumber number() const = 0;
    virtual void next() = 0;
    // Advances to this number or the next greater one; never moves back.
    virtual void seek(ItemNumber number) = 0;
    virtual Status status() const = 0;
};
using PostingsPtr = std::unique_ptr<Postings>;

// The items with exactly this value at a path; `cursor` must be bounded by it.
PostingsPtr postings_of_value(std::unique_ptr<index::TermCursor> cursor, std::string value);
PostingsPtr postings_of(std::unique_ptr<index::DocnumCursor> cursor);
// `numbers` need not be sorted or distinct.
PostingsPtr postings_of(std::vector<ItemNumber> numbers, Budget& budget);

PostingsPtr union_of(std::vector<PostingsPtr> parts);

struct IntersectionOptions {
    ItemNumber from = 0;  // the first one wanted
    Budget& budget;
    // Everything before its number has been examined for the page.
    bool reports_progress = false;
};
// Requires at least one part. When the budget is used up, stops at a number that need not be in all
// of them.
PostingsPtr intersection_of(std::vector<PostingsPtr> parts, const IntersectionOptions& options);

}  // namespace orrery::sql
