#include "service/change_feed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "model/limits.h"
#include "partition/changes.h"
#include "service/change_filter.h"
#include "service/change_position.h"
#include "service/change_text.h"
#include "service/consistency.h"
#include "service/errors.h"
#include "service/item_selection.h"
#include "service/item_target.h"
#include "service/metering.h"
#include "service/placement.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

// A part of a partition, and where the reader is in it.
struct Piece {
    std::size_t range = 0;
    partition::FeedScope scope;
    ChangePart part;
};

// 400 if the position says nothing about some of the selected items.
Result<std::vector<Piece>> pieces_of(const catalog::Container& container,
                                     const ItemSelection& selection,
                                     const ChangePosition& position) {
    std::vector<Piece> pieces;
    std::string covered = selection.epks.min_inclusive;
    for (std::size_t i = selection.first_range; i <= selection.last_range; ++i) {
        const catalog::PartitionRange& range = container.ranges[i];
        const model::EpkRange selected = model::overlap(selection.epks, range.epks);
        for (const ChangePart& part : position.parts) {
            model::EpkRange epks = model::overlap(selected, part.epks);
            if (epks.empty()) continue;
            if (epks.min_inclusive != covered) break;
            covered = epks.max_exclusive;
            pieces.push_back(
                {.range = i,
                 .scope = selection.scope_of(range, epks),
                 .part = {.epks = std::move(epks), .after = part.after, .since = part.since}});
        }
    }
    if (!selection.epks.empty() && covered != selection.epks.max_exclusive) {
        return bad_request("The etag in If-None-Match does not cover the requested range.");
    }
    // Nothing is selected. Read one range anyway, so that the answer carries a session token.
    if (pieces.empty()) {
        ChangePart none = position.parts.front();
        none.epks = selection.epks;
        pieces.push_back(
            {.range = selection.first_range, .scope = selection.scope, .part = std::move(none)});
        pieces.front().scope.epks = selection.epks;
    }
    return pieces;
}

// The piece that the position wants to be read first.
std::size_t first_piece(const std::vector<Piece>& pieces, const ChangePosition& position) {
    const std::string& wanted = position.parts[position.first].epks.min_inclusive;
    const auto found = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) {
        return piece.part.epks.min_inclusive >= wanted;
    });
    return found == pieces.end() ? 0 : static_cast<std::size_t>(found - pieces.begin());
}

Error ahead(partition::Lsn etag, partition::Lsn newest) {
    return bad_request("The etag in If-None-Match, " + std::to_string(etag) +
                       ", is newer than the newest change, " + std::to_string(newest) +
                       ": it comes from another container, or from a state of this one that was "
                       "lost.");
}

// Reads one page.
class ChangePageReader {
public:
    ChangePageReader(Partitions& partitions,
                     Placement* placement,
                     Context& context,
                     const catalog::Container& container,
                     bool all_versions)
        : partitions_(partitions),
          placement_(placement),
          context_(context),
          container_(container),
          all_versions_(all_versions) {}

    // The positions of all pieces as of now.
    Status skip(std::vector<Piece>& pieces) {
        for (Piece& piece : pieces) {
            auto opened = open(piece);
            if (is_on_other_node(opened)) {
                piece.part.after = TRY(lsn_elsewhere(piece));
                continue;
            }
            last_ = TRY(std::move(opened));
            piece.part.after = TRY(lsn_of(*last_));
        }
        return settle();
    }

    Status read(std::vector<Piece>& pieces,
                std::size_t first,
                const partition::ChangePrinter& print) {
        items_max_ = TRY(page_size(context_.request));
        next_ = first;
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const std::size_t at = (first + i) % pieces.size();
            if (!TRY(read_piece(pieces[at], print))) {
                more_ = true;
                // If there is more in this one, the others get their turn before it.
                next_ = waits_ ? at : (at + 1) % pieces.size();
                break;
            }
        }
        return settle();
    }

    Page take_page() { return std::move(page_); }
    // None if others were quiet too, on other nodes.
    QuietPartitions take_quiet() { return all_here_ ? std::move(quiet_) : QuietPartitions(); }
    bool is_modified() const { return page_.count > 0 || more_; }
    std::uint64_t behind() const { return behind_; }
    // The piece that the next page reads first.
    std::size_t next() const { return next_; }

private:
    Result<std::shared_ptr<partition::Partition>> open(const Piece& piece) {
        auto partition = TRY(partitions_.open(container_, piece.range, context_.allowance));
        TRY(check_session(context_, *partition));
        return partition;
    }

    // The first piece decides which node reads the page; of others that this node does not serve,
    // it asks only whether there is anything new.
    bool is_on_other_node(const Result<std::shared_ptr<partition::Partition>>& opened) const {
        return !opened && opened.error().code() == ErrorCode::kElsewhere && last_ != nullptr;
    }

    Result<partition::Lsn> lsn_elsewhere(const Piece& piece) {
        if (!context_.allowance.may_block) {
            return Error(ErrorCode::kWouldBlock, "it asks another node");
        }
        all_here_ = false;
        const std::array ranges{piece.range};
        return TRY(placement_->reports(container_, ranges)).front().lsn;
    }

    // What a closed partition says is out of date.
    Result<partition::Lsn> lsn_of(const partition::Partition& partition) {
        const partition::Lsn lsn = partition.lsn();
        TRY(partition.check_open());
        note(partition, lsn);
        return lsn;
    }

    void note(const partition::Partition& partition, partition::Lsn lsn) {
        context_.receipt.position = position_at(partition, lsn);
    }

    // Returns false if the page ends here.
    Result<bool> read_piece(Piece& piece, const partition::ChangePrinter& print) {
        auto opened = open(piece);
        waits_ = !opened && opened.error().code() == ErrorCode::kThrottled && charged_ > 0;
        // What was read so far is paid for. The next request gets the rest, or the refusal.
        if (waits_) return false;
        if (is_on_other_node(opened)) {
            const bool quiet = !piece.part.since && TRY(lsn_elsewhere(piece)) == piece.part.after;
            waits_ = !quiet;
            return quiet;
        }
        last_ = TRY(std::move(opened));
        const partition::Lsn lsn = TRY(lsn_of(*last_));
        if (piece.part.after == lsn && !piece.part.since) {
            note_quiet(piece);
            return true;
        }
        waits_ = is_full();
        if (waits_) return false;
        if (!context_.allowance.may_block) {
            return Error(ErrorCode::kWouldBlock, "there are changes to read");
        }
        const bool complete = TRY(add_changes(piece, print));
        if (complete) note_quiet(piece);
        return complete;
    }

    void note_quiet(const Piece& piece) {
        constexpr partition::Lsn kNone = -1;  // until then, only a poll knows the time
        quiet_.add(last_, piece.part.since ? kNone : piece.part.after);
    }

    Result<bool> add_changes(Piece& piece, const partition::ChangePrinter& print) {
        partition::ChangesPage part = TRY(partition::read_changes(
            *last_,
            {.scope = piece.scope,
             .after = piece.part.after,
             .since = piece.part.since,
             .all_versions = all_versions_,
             .items_max = items_max_ - page_.count,
             .bytes_max = model::limits::kPageBytesMax - page_.elements.size(),
             .at_least_one = page_.count == 0,
             .deadline = deadline_,
             .default_ttl = container_.definition.default_ttl},
            print));
        // Not compared before: a change can be read a moment before the partition announces its
        // LSN.
        if (piece.part.after > part.lsn) return ahead(piece.part.after, part.lsn);
        if (part.count > 0 && page_.count > 0) page_.elements += ',';
        if (page_.elements.empty()) {
            page_.elements = std::move(part.items);
        } else {
            page_.elements += part.items;
        }
        page_.count += part.count;
        piece.part.after = part.until;
        behind_ += static_cast<std::uint64_t>(std::max<partition::Lsn>(part.lsn - part.until, 0));
        note(*last_, part.lsn);
        if (part.items_read > 0) {
            const double charge = throughput::feed_charge(part.items_read, part.bytes_read) *
                                  read_cost_factor(context_.request);
            spend(context_, *last_, partition_key_of(piece.scope), charge);
            charged_ += charge;
        }
        // Later changes are newer, unless the time is still to come.
        const bool past = piece.part.since && *piece.part.since <= last_->clock().now_seconds();
        if (part.complete && past) piece.part.since.reset();
        return part.complete;
    }

    bool is_full() const {
        return page_.count >= items_max_ || page_.elements.size() >= model::limits::kPageBytesMax;
    }

    // A poll that finds nothing has a price, too.
    Status settle() {
        if (charged_ == 0 && last_) {
            charged_ = throughput::kRefusedCharge;
            spend(context_, *last_, {}, charged_);
        }
        context_.receipt.charge = std::max(charged_, throughput::kRefusedCharge);
        return {};
    }

    Partitions& partitions_;
    Placement* const placement_;
    Context& context_;
    const catalog::Container& container_;
    const bool all_versions_;
    std::size_t items_max_ = 0;
    const Allowance::TimePoint deadline_ =
        monotonic_now() + std::chrono::milliseconds(model::limits::kQueryPageMillisecondsMax);
    std::shared_ptr<partition::Partition> last_;
    Page page_;
    QuietPartitions quiet_;
    bool all_here_ = true;  // the pieces that were looked at
    double charged_ = 0;
    bool more_ = false;
    std::uint64_t behind_ = 0;
    bool waits_ = false;  // the page ended before the piece, not in it
    std::size_t next_ = 0;
};

// Whether the container has what the request asks for.
Status check_versions(const Request& request,
                      const catalog::Container& container,
                      const ChangeFeedOptions& options) {
    if (container.definition.version_retention_minutes == 0) {
        return bad_request(
            "The container does not keep all versions and deletes: its 'changeFeedPolicy' has no "
            "'retentionDuration'.");
    }
    if (!request.if_none_match || options.since) {
        return bad_request(
            "You must read the change feed from within the retention period. With all versions "
            "and deletes it starts from now (If-None-Match: *) or from an etag.");
    }
    if (options.filter) {
        return bad_request("The change feed with all versions and deletes takes no query.");
    }
    return {};
}

ChangePosition position_after(std::vector<Piece> pieces, std::size_t next) {
    ChangePosition position;
    position.first = next;
    for (Piece& piece : pieces)
        position.parts.push_back(std::move(piece.part));
    position.simplify();
    return position;
}

}  // namespace

Result<ChangesAnswer> ChangeFeed::read(Context& context,
                                       const catalog::Container& container,
                                       const ChangeFeedOptions& options) const {
    const Request& request = context.request;
    TRY(check_intended_container(request, container));
    if (options.all_versions) TRY(check_versions(request, container, options));
    const ItemSelection selection = TRY(select_items(request, container));
    const bool from_now = request.if_none_match == kFromNow;
    ChangePosition position =
        ChangePosition::everywhere({.epks = {}, .after = 0, .since = options.since});
    if (request.if_none_match && !from_now) {
        position = TRY(ChangePosition::parse(*request.if_none_match));
    }
    std::vector<Piece> pieces = TRY(pieces_of(container, selection, position));
    std::optional<ChangeFilter> filter;
    if (options.filter) {
        filter.emplace(TRY(ChangeFilter::parse(*options.filter, container, clock_)));
    }
    partition::ChangePrinter print = filter ? filter->printer() : plain_printer();
    if (options.envelope) print = enveloped(std::move(print));
    if (options.all_versions) print = versions_printer();
    if (options.separated) print = followed_by(kRecordSeparator, std::move(print));

    ChangePageReader reader(partitions_, placement_, context, container, options.all_versions);
    if (from_now) {
        TRY(reader.skip(pieces));
    } else {
        TRY(reader.read(pieces, first_piece(pieces, position), print));
    }
    ChangesAnswer answer;
    answer.modified = reader.is_modified();
    answer.behind = reader.behind();
    Counts& counts = counts_.mine();
    (answer.modified ? counts.pages : counts.idle_polls).add(1);
    answer.epks = selection.epks;
    answer.etag = position_after(std::move(pieces), reader.next()).etag();
    answer.page = reader.take_page();
    if (!answer.modified) answer.quiet = reader.take_quiet();
    return answer;
}

bool QuietPartitions::are_quiet() const {
    for (const Place& place : places_) {
        const auto partition = place.partition.lock();
        if (!partition || partition->lsn() != place.lsn || !partition->check_open()) return false;
        partition->mark_used();
    }
    return !places_.empty();
}

ChangeFeed::Stats ChangeFeed::stats() const {
    return {.pages = counts_.sum(
                [](const Counts& counts) -> const metrics::Count& { return counts.pages; }),
            .idle_polls = counts_.sum(
                [](const Counts& counts) -> const metrics::Count& { return counts.idle_polls; })};
}

}  // namespace orrery::service
