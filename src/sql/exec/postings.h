// Sets of items as the index gives them: numbers, rising, each once. They can be united and
// intersected without being read to the end.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
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
    // Moves on to this number or the first behind it; never back.
    virtual void seek(ItemNumber number) = 0;
    virtual Status status() const = 0;
};
using PostingsPtr = std::unique_ptr<Postings>;

// The items that have just this value at a path; `cursor` must be bounded by it.
PostingsPtr postings_of_value(std::unique_ptr<index::TermCursor> cursor, std::string value);
PostingsPtr postings_of(std::unique_ptr<index::DocnumCursor> cursor);
// Need not be sorted or distinct.
PostingsPtr postings_of(std::vector<ItemNumber> numbers);

PostingsPtr union_of(std::vector<PostingsPtr> parts);
// At least one part.
PostingsPtr intersection_of(std::vector<PostingsPtr> parts);

}  // namespace orrery::sql
