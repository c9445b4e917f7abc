// Walks through the entries of an index, whoever keeps it. Each is used by one thread.

#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace orrery::index {

// The number of an item in its container.
using Docnum = std::uint64_t;

// Entries of one path or one composite index: (value, item) in that order, descending when walked
// backward.
class TermCursor {
public:
    TermCursor() = default;
    TermCursor(const TermCursor&) = delete;
    TermCursor& operator=(const TermCursor&) = delete;
    virtual ~TermCursor() = default;

    virtual bool valid() const = 0;
    // The encoded value; of a composite index all its values, each in its order. Good until next().
    virtual std::string_view value() const = 0;
    virtual Docnum docnum() const = 0;
    virtual void next() = 0;
    // Moves on to this entry or the first behind it in the cursor's direction; it may stay where it
    // is, it never goes back.
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
    // The index cannot say whether the item is wanted: look at it.
    virtual bool to_be_checked() const = 0;
    virtual void next() = 0;
    virtual void seek(Docnum docnum) = 0;
    virtual Status status() const = 0;
};

}  // namespace orrery::index
