// Where a read of items continues. A position names parts of the hash space, never partitions: a
// token stays valid when a range is split, because numbers and index values order the items of the
// parent and of the children alike.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"
#include "model/effective_partition_key.h"
#include "service/continuation.h"
#include "service/item_selection.h"

namespace orrery::service {

// A part of the hash space, and the position up to which it has been read.
struct UnreadPart {
    model::EpkRange epks;
    std::string resume;  // empty: nothing has been read

    bool operator==(const UnreadPart&) const = default;
};

// The payload of a token, version 2 (docs/storage-format.md).
struct ItemContinuation {
    model::EpkRange selected;  // by the request that the token was issued for
    // Adjacent, in order; several only if the first has been split since the token before this one.
    // What is before them has been read, what is after them has not.
    std::vector<UnreadPart> parts;

    std::string encode() const;
    // kBadRequest for bytes that encode() does not produce.
    static Result<ItemContinuation> decode(std::string_view payload);
};

// The continuation tokens of one feed or query over one selection. References must outlive it.
class ItemTokens {
public:
    // What is read. A query has a digest, so that a token of another query is refused; most pages
    // need none.
    struct Feed {
        std::string name;
        std::function<std::string()> digest;
        std::string name_v1;  // in tokens of version 1
    };

    ItemTokens(const ContinuationSigner& signer,
               const Feed& feed,
               const catalog::Container& container,
               const ItemSelection& selection)
        : signer_(signer), feed_(feed), container_(container), selection_(selection) {}

    std::string sign(std::vector<UnreadPart> parts) const;

    // kBadRequest if the token was not issued for this feed and selection, or for one that contains
    // it: the range that the selected one was split from, or the hash range that a client selected
    // to get the items of one partition key, which it now names.
    Result<std::vector<UnreadPart>> check(std::string_view token) const;

private:
    std::string scope() const;
    std::string scope_v1() const;
    Result<std::vector<UnreadPart>> check_v1(std::string_view token) const;

    const ContinuationSigner& signer_;
    const Feed& feed_;
    const catalog::Container& container_;
    const ItemSelection& selection_;
};

// What is left to read of a selection, range by range in the order of EPKs. References must outlive
// it.
class UnreadRanges {
public:
    // `ranges` are those to read, ascending. `parts` come from a token; none is the beginning.
    UnreadRanges(const catalog::Container& container,
                 const ItemSelection& selection,
                 std::vector<std::size_t> ranges,
                 const std::vector<UnreadPart>& parts);

    bool empty() const { return at_ == pieces_.size() && next_ == ranges_.size(); }

    // The first range, the scope to read in it and the position. Requires !empty().
    std::size_t range() const { return piece_.range; }
    const partition::FeedScope& scope() const { return piece_.scope; }
    const std::string& resume() const { return piece_.part.resume; }

    // Moves on to the next range.
    void finish_range();
    // The content of a token that continues in the first range.
    std::vector<UnreadPart> parts_from(std::string resume) const;

private:
    // What is left of one range, or of a part of it.
    struct Piece {
        std::size_t range = 0;
        partition::FeedScope scope;
        UnreadPart part;
    };
    Piece piece_of(std::size_t range, const model::EpkRange& epks, std::string resume) const;
    model::EpkRange selected_in(std::size_t range) const;
    void settle();

    const catalog::Container& container_;
    const ItemSelection& selection_;
    std::vector<std::size_t> ranges_;
    std::vector<Piece> pieces_;  // ranges that the token mentions
    std::size_t at_ = 0;         // in pieces_
    std::size_t next_ = 0;       // in ranges_: the first that the token does not mention
    Piece piece_;                // the current one
};

}  // namespace orrery::service
