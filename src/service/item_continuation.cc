#include "service/item_continuation.h"

#include <utility>

#include "base/bytes.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

constexpr char kItemsVersion = 2;
constexpr std::uint64_t kSameBound = 0;

Error foreign_token() {
    return bad_request("The continuation token is not valid for this request.");
}

// Most parts begin or end where the selection does; then the bound is one byte.
void append_bound(std::string& out, std::string_view bound, std::string_view usual) {
    if (bound == usual) {
        append_varint(out, kSameBound);
        return;
    }
    append_varint(out, bound.size() + 1);
    out.append(bound);
}

std::string take_bound(ByteReader& reader, std::string_view usual) {
    const std::uint64_t size = reader.varint();
    return std::string(size == kSameBound ? usual : reader.take(size - 1));
}

bool ascends(const std::vector<UnreadPart>& parts) {
    for (const UnreadPart& part : parts) {
        if (part.epks.empty()) return false;
    }
    return !parts.empty();
}

}  // namespace

std::string ItemContinuation::encode() const {
    std::string out(1, kItemsVersion);
    for (const std::string& bound : {selected.min_inclusive, selected.max_exclusive}) {
        append_varint(out, bound.size());
        out.append(bound);
    }
    append_bound(out, parts.front().epks.min_inclusive, selected.min_inclusive);
    for (const UnreadPart& part : parts) {
        append_bound(out, part.epks.max_exclusive, selected.max_exclusive);
        append_varint(out, part.resume.size());
        out.append(part.resume);
    }
    return out;
}

Result<ItemContinuation> ItemContinuation::decode(std::string_view payload) {
    ByteReader reader(payload);
    const bool known = reader.take(1) == std::string_view(&kItemsVersion, 1);
    ItemContinuation out;
    out.selected.min_inclusive = reader.take(reader.varint());
    out.selected.max_exclusive = reader.take(reader.varint());
    std::string min = take_bound(reader, out.selected.min_inclusive);
    while (known && reader.ok() && !reader.rest().empty()) {
        UnreadPart part;
        part.epks = {.min_inclusive = std::move(min),
                     .max_exclusive = take_bound(reader, out.selected.max_exclusive)};
        part.resume = reader.take(reader.varint());
        min = part.epks.max_exclusive;
        out.parts.push_back(std::move(part));
    }
    if (!known || !reader.ok() || !ascends(out.parts)) return foreign_token();
    return out;
}

std::string ItemTokens::sign(std::vector<UnreadPart> parts) const {
    const ItemContinuation continuation{.selected = selection_.epks, .parts = std::move(parts)};
    return signer_.sign_payload(continuation.encode(), scope());
}

Result<std::vector<UnreadPart>> ItemTokens::check(std::string_view token) const {
    const auto payload = signer_.check_payload(token, scope());
    if (!payload) return check_v1(token);
    ItemContinuation given = TRY(ItemContinuation::decode(*payload));
    if (!given.selected.contains(selection_.epks)) return foreign_token();
    return std::move(given.parts);
}

Result<std::vector<UnreadPart>> ItemTokens::check_v1(std::string_view token) const {
    Continuation given = TRY(signer_.check(token, scope_v1()));
    const auto range = range_index(given.range_id, container_);
    if (!range) return foreign_token();
    UnreadPart part{.epks = model::overlap(selection_.epks, container_.ranges[*range].epks),
                    .resume = std::move(given.resume)};
    return std::vector<UnreadPart>{std::move(part)};
}

std::string ItemTokens::scope() const {
    return feed_.name + " 2 " + container_.rid.text() + " " + (feed_.digest ? feed_.digest() : "");
}

std::string ItemTokens::scope_v1() const {
    std::string out = feed_.name_v1 + " " + selection_.text_v1(container_);
    if (feed_.digest) out += " " + feed_.digest();
    return out;
}

UnreadRanges::UnreadRanges(const catalog::Container& container,
                           const ItemSelection& selection,
                           std::vector<std::size_t> ranges,
                           const std::vector<UnreadPart>& parts)
    : container_(container), selection_(selection), ranges_(std::move(ranges)) {
    for (; next_ < ranges_.size() && !parts.empty(); ++next_) {
        const std::size_t range = ranges_[next_];
        const model::EpkRange selected = selected_in(range);
        const std::string& read_until = parts.back().epks.max_exclusive;
        if (selected.min_inclusive >= read_until) break;
        for (const UnreadPart& part : parts) {
            const model::EpkRange both = model::overlap(selected, part.epks);
            if (!both.empty()) pieces_.push_back(piece_of(range, both, part.resume));
        }
        const model::EpkRange rest{.min_inclusive = read_until,
                                   .max_exclusive = selected.max_exclusive};
        if (!rest.empty()) pieces_.push_back(piece_of(range, rest, {}));
    }
    settle();
}

void UnreadRanges::finish_range() {
    if (at_ < pieces_.size()) {
        ++at_;
    } else {
        ++next_;
    }
    settle();
}

void UnreadRanges::settle() {
    if (at_ < pieces_.size()) {
        piece_ = pieces_[at_];
    } else if (next_ < ranges_.size()) {
        piece_ = piece_of(ranges_[next_], selected_in(ranges_[next_]), {});
    }
}

std::vector<UnreadPart> UnreadRanges::parts_from(std::string resume) const {
    std::vector<UnreadPart> parts = {{.epks = piece_.part.epks, .resume = std::move(resume)}};
    for (std::size_t i = at_ + 1; i < pieces_.size(); ++i) {
        // A range in between that is not read is empty for this read.
        UnreadPart part = pieces_[i].part;
        part.epks.min_inclusive = parts.back().epks.max_exclusive;
        parts.push_back(std::move(part));
    }
    while (parts.size() > 1 && parts.back().resume.empty()) {
        parts.pop_back();
    }
    return parts;
}

UnreadRanges::Piece UnreadRanges::piece_of(std::size_t range,
                                           const model::EpkRange& epks,
                                           std::string resume) const {
    Piece piece{.range = range,
                .scope = selection_.scope_of(container_.ranges[range], epks),
                .part = {.epks = epks, .resume = std::move(resume)}};
    return piece;
}

model::EpkRange UnreadRanges::selected_in(std::size_t range) const {
    return model::overlap(selection_.epks, container_.ranges[range].epks);
}

}  // namespace orrery::service
