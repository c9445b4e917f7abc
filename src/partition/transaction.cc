#include "partition/transaction.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/wait_for.h"
#include "model/etag.h"
#include "model/limits.h"

namespace orrery::partition {

namespace {

// Numbers are reserved in growing batches: most transactions need few, some need thousands.
constexpr std::uint64_t kReservedAtOnceMax = 256;

Error changed_meanwhile() {
    return Error(ErrorCode::kConflict, "An item has been changed since the transaction began.");
}

// What succeeded on the snapshot can only be refused because of a concurrent change.
bool is_refusal(ErrorCode code) {
    return code == ErrorCode::kConflict || code == ErrorCode::kNotFound ||
           code == ErrorCode::kPreconditionFailed;
}

// A task whose submitter waits for its outcome.
class AwaitedTask : public WriteTask {
public:
    explicit AwaitedTask(std::function<void(Status)> done) : done_(std::move(done)) {}
    void complete(Status outcome) override { done_(std::move(outcome)); }

private:
    std::function<void(Status)> done_;
};

class ReserveTask final : public AwaitedTask {
public:
    ReserveTask(std::uint64_t count, Docnum& first, std::function<void(Status)> done)
        : AwaitedTask(std::move(done)), count_(count), first_(first) {}

    Status apply(ItemWriter& writer) override {
        first_ = writer.reserve_items(count_);
        return {};
    }

private:
    std::uint64_t count_;
    Docnum& first_;
};

}  // namespace

class Transaction::CommitTask final : public AwaitedTask {
public:
    CommitTask(const Transaction& transaction, Lsn& lsn, std::function<void(Status)> done)
        : AwaitedTask(std::move(done)), transaction_(transaction), lsn_(lsn) {}

    Status apply(ItemWriter& writer) override {
        for (const auto& [docnum, before] : transaction_.before_) {
            const std::optional<StoredItem> now = TRY(writer.item(docnum));
            const bool same =
                now ? before == Version{now->header().lsn, now->header().ordinal} : !before;
            if (!same) return changed_meanwhile();
        }
        writer.begin_transaction();
        const Status outcome = make(writer);
        writer.use_identity(nullptr);
        writer.end_transaction();
        lsn_ = writer.state().lsn;
        if (outcome) return {};
        return is_refusal(outcome.error().code())
                   ? Status(changed_meanwhile())
                   : Status(Error(outcome.error().code(), outcome.error().message()));
    }

private:
    Status make(ItemWriter& writer) const {
        for (const Step& step : transaction_.steps_) {
            writer.use_identity(&step.assigned);
            TRY(step.write(writer));
        }
        return {};
    }

    const Transaction& transaction_;
    Lsn& lsn_;
};

Result<std::unique_ptr<Transaction>> Transaction::begin(std::shared_ptr<Partition> partition,
                                                        Random& random) {
    auto index_view = partition->index_view();
    Partition::View view = partition->view();
    State state;
    std::string counters;
    if (TRY(view.reader->get(state_key(), counters))) state = TRY(State::decode(counters));
    std::uint64_t stamp = 0;
    random.fill(std::as_writable_bytes(std::span(&stamp, 1)));
    return std::make_unique<Transaction>(
        Begun(), std::move(partition), std::move(index_view), std::move(view), state, stamp);
}

Transaction::Transaction(Begun /*begun*/,
                         std::shared_ptr<Partition> partition,
                         std::shared_ptr<const IndexView> index_view,
                         Partition::View view,
                         const State& state,
                         std::uint64_t first_stamp)
    : partition_(std::move(partition)),
      index_view_(std::move(index_view)),
      view_(std::move(view)),
      state_(state),
      no_index_(ItemIndex::none()),
      writer_(partition_->identity(),
              state_,
              *view_.reader,
              *no_index_,
              partition_->clock().now_seconds(),
              view_.deletes),
      next_stamp_(first_stamp) {
    writer_.begin_transaction();
}

bool Transaction::is_full() const {
    return steps_.size() >= model::limits::kTransactionWritesMax ||
           writer_.byte_size() >= model::limits::kTransactionBytesMax;
}

Status Transaction::write(Write write) {
    if (is_full()) {
        return Error(ErrorCode::kTooLarge, "The transaction has too many writes.");
    }
    Step step{.write = std::move(write), .assigned = {}};
    step.assigned.docnum = TRY(next_number());
    // Zero means "no stamp".
    step.assigned.stamp = std::max<std::uint64_t>(next_stamp_++ & model::kEtagLsnMax, 1);
    step.assigned.timestamp = std::max(partition_->clock().now_seconds(), state_.last_timestamp);
    const ItemWriter::Savepoint before = writer_.savepoint();
    writer_.use_identity(&step.assigned);
    Status outcome = step.write(writer_);
    writer_.use_identity(nullptr);
    if (!outcome) {
        writer_.rollback_to(before);
        return outcome;
    }
    for (const Docnum docnum : writer_.items_changed_since(before)) {
        if (docnum == next_number_) {
            ++next_number_;
            --numbers_left_;
        }
        if (!before_.contains(docnum)) before_[docnum] = TRY(version_before(docnum));
        written_[docnum] = TRY(writer_.item(docnum));
    }
    steps_.push_back(std::move(step));
    return {};
}

Status Transaction::read(const Write& read) {
    const ItemWriter::Savepoint before = writer_.savepoint();
    Status outcome = read(writer_);
    // Looking up an expired item removes it; undo that.
    writer_.rollback_to(before);
    return outcome;
}

Result<Lsn> Transaction::commit() {
    if (steps_.empty()) return state_.lsn;
    Lsn lsn = 0;
    TRY(wait_for<Status>([&](auto done) {
        partition_->submit(std::make_unique<CommitTask>(*this, lsn, std::move(done)));
    }));
    return lsn;
}

Result<Docnum> Transaction::next_number() {
    if (numbers_left_ == 0) {
        TRY(wait_for<Status>([&](auto done) {
            partition_->submit(
                std::make_unique<ReserveTask>(numbers_wanted_, next_number_, std::move(done)));
        }));
        numbers_left_ = numbers_wanted_;
        numbers_wanted_ = std::min(numbers_wanted_ * 4, kReservedAtOnceMax);
    }
    return next_number_;
}

Result<std::optional<Transaction::Version>> Transaction::version_before(Docnum docnum) const {
    std::string record;
    if (!TRY(view_.reader->get(item_key(docnum), record))) return std::optional<Version>();
    const ItemView item = TRY(ItemView::decode(docnum, record));
    return std::optional(Version{item.header.lsn, item.header.ordinal});
}

}  // namespace orrery::partition
