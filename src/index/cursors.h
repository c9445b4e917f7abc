// Cursors over the entries of an index, independent of its storage. Each is used by one thread.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace orrery::index {

// The number of an item in its container.
using Docnum = std::uint64_t;

// Entries of one path or one composite index, ordered by (value, item); descending when walked
// backward.
class TermCursor {
public:
    TermCursor() = default;
    TermCursor(const TermCursor&) = delete;
    TermCursor& operator=(const TermCursor&) = delete;
    virtual ~TermCursor() = default;

    virtual bool valid() const = 0;
    // The encoded value; for a composite index all of its values, each in its order. Valid until
    // next().
    virtual std::string_view value() const = 0;
    virtual Docnum docnum() const = 0;
    virtual void next() = 0;
    // Advances to this entry or the next one in the cursor's direction; may stay where it is, never
    // moves back.
    virtual void seek(std::string_view value, Docnum docnum) = 0;
    virtual Status status() const = 0;
};

// Items, each once, in the order of their numbers; descending when walked backward.
class DocnumCursor {
public:
    DocnumCursor() = default;
    DocnumCursor(const DocnumCursor&) = delete;
    DocnumCursor& operator=(const DocnumCursor&) = delete;
    virtual ~DocnumCursor() = default;

    virtual bool valid() const = 0;
    virtual Docnum docnum() const = 0;
    // The index cannot tell whether the item qualifies: check the item itself.
    virtual bool to_be_checked() const = 0;
    virtual void next() = 0;
    virtual void seek(Docnum docnum) = 0;
    virtual Status status() const = 0;
};

}  // namespace orrery::index
