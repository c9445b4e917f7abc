#include "service/items.h"

#include <array>

#include "service/consistency.h"
#include "service/errors.h"
#include "service/metering.h"

namespace orrery::service {

namespace {

Result<ItemAnswer> read_located(const Context& context,
                                const catalog::Container& container,
                                const LocatedItem& located) {
    const partition::Partition& partition = *located.partition;
    TRY(check_session(context, partition));
    auto found = TRY(
        partition.read(located.ref, container.definition.default_ttl, context.allowance.may_block));
    TRY(partition.check_open());
    if (!found) return item_not_found();
    return read_answer(context.request, partition.identity(), std::move(*found));
}

}  // namespace

// One write in the executor.
class Items::Task final : public partition::WriteTask {
public:
    Task(Context& context, StagedOperation operation, ItemCallback done)
        : context_(context), operation_(std::move(operation)), done_(std::move(done)) {}

    Status apply(partition::ItemWriter& writer) override {
        answer_ = TRY(operation_.run(writer));
        return {};
    }

    void complete(Status outcome) override {
        const partition::Partition& partition = *operation_.partition;
        const std::string& key = operation_.partition_key;
        context_.receipt.position =
            position_of(partition, outcome ? answer_.item_lsn : partition::Lsn{0});
        if (!outcome) {
            spend_on_failure(context_, partition, key, outcome.error());
            return done_(std::move(outcome).take_error());
        }
        context_.receipt.charge = answer_.charge;
        spend(context_, partition, key, answer_.charge);
        done_(std::move(answer_));
    }

private:
    Context& context_;
    StagedOperation operation_;
    ItemCallback done_;
    ItemAnswer answer_;
};

Result<ItemAnswer> Items::read(Context& context,
                               const catalog::ContainerPtr& container,
                               const ItemAddress& address) {
    const LocatedItem located = TRY(locate_item(partitions_, context, *container, address));
    const partition::Partition& partition = *located.partition;
    const std::string_view key =
        located.ref.partition_key ? *located.ref.partition_key : std::string_view();
    context.receipt.position = position_of(partition);
    auto answer = read_located(context, *container, located);
    if (answer) {
        context.receipt.position = position_of(partition, answer->item_lsn);
        context.receipt.charge = answer->charge;
        spend(context, partition, key, answer->charge);
    } else {
        spend_on_failure(context, partition, key, answer.error());
    }
    return answer;
}

void Items::create(Context& context,
                   const catalog::ContainerPtr& container,
                   std::string_view text,
                   const ItemCallback& done) {
    submit(context, stage_create(partitions_, context, *container, text), done);
}

void Items::upsert(Context& context,
                   const catalog::ContainerPtr& container,
                   std::string_view text,
                   const ItemCallback& done) {
    submit(context, stage_upsert(partitions_, context, *container, text), done);
}

void Items::replace(Context& context,
                    const catalog::ContainerPtr& container,
                    const ItemAddress& address,
                    std::string_view text,
                    const ItemCallback& done) {
    submit(context, stage_replace(partitions_, context, *container, address, text), done);
}

void Items::patch(Context& context,
                  const catalog::ContainerPtr& container,
                  const ItemAddress& address,
                  std::string_view text,
                  const ItemCallback& done) {
    submit(context, stage_patch(partitions_, context, container, address, text), done);
}

void Items::remove(Context& context,
                   const catalog::ContainerPtr& container,
                   const ItemAddress& address,
                   const ItemCallback& done) {
    submit(context, stage_remove(partitions_, context, *container, address), done);
}

void Items::remove_key(Context& context,
                       const catalog::ContainerPtr& container,
                       const ItemCallback& done) {
    submit(context, stage_remove_key(partitions_, context, *container), done);
}

Result<ContainerUsage> Items::usage(const catalog::Container& container) {
    ContainerUsage usage;
    usage.ranges = TRY(reports_.of(container));
    for (const RangeReport& range : usage.ranges) {
        usage.item_count += range.item_count;
        usage.item_bytes += range.item_bytes;
    }
    return usage;
}

Status Items::locate(Context& context, const catalog::Container& container) {
    const auto partition = partitions_.open(container, 0);
    if (partition) {
        context.receipt.position = position_of(**partition);
        return {};
    }
    if (partition.error().code() != ErrorCode::kElsewhere) return partition.error().copy();
    constexpr std::array<std::size_t, 1> kFirst{0};
    const RangeReport report = TRY(placement_->reports(container, kFirst)).front();
    context.receipt.position =
        Position{.range_id = report.range_id, .version = container.rid.number, .lsn = report.lsn};
    return {};
}

void Items::submit(Context& context, Result<StagedOperation> staged, const ItemCallback& done) {
    if (!staged) return done(std::move(staged).take_error());
    const auto partition = staged->partition;
    partition->submit(std::make_unique<Task>(context, std::move(staged).take(), done));
}

}  // namespace orrery::service
