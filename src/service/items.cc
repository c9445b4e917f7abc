#include "service/items.h"

#include "service/errors.h"

namespace orrery::service {

// One write in the executor.
class Items::Task final : public partition::WriteTask {
public:
    Task(StagedOperation operation, ItemCallback done)
        : operation_(std::move(operation)), done_(std::move(done)) {}

    Status apply(partition::ItemWriter& writer) override {
        answer_ = TRY(operation_.run(writer));
        return {};
    }

    void complete(Status outcome) override {
        const Position position =
            position_of(*operation_.partition, outcome ? answer_.item_lsn : partition::Lsn{0});
        if (outcome) {
            done_({.answer = std::move(answer_), .position = position});
        } else {
            done_({.answer = std::move(outcome).take_error(), .position = position});
        }
    }

private:
    StagedOperation operation_;
    ItemCallback done_;
    ItemAnswer answer_;
};

ItemOutcome Items::read(const Request& request,
                        const catalog::ContainerPtr& container,
                        const ItemAddress& address) {
    auto located = locate_item(partitions_, request, *container, address);
    if (!located) return {.answer = std::move(located).take_error(), .position = std::nullopt};
    const partition::Partition& partition = *located->partition;
    const auto refuse = [&](Error error) {
        return ItemOutcome{.answer = std::move(error), .position = position_of(partition)};
    };
    if (auto session = check_session(request, partition); !session) {
        return refuse(std::move(session).take_error());
    }
    auto found = partition.read(located->ref, container->definition.default_ttl, request.may_block);
    if (!found) return refuse(std::move(found).take_error());
    if (!*found) return refuse(item_not_found());
    ItemAnswer answer = read_answer(request, partition.identity(), std::move(**found));
    const Position position = position_of(partition, answer.item_lsn);
    return {.answer = std::move(answer), .position = position};
}

void Items::create(const Request& request,
                   const catalog::ContainerPtr& container,
                   std::string_view text,
                   const ItemCallback& done) {
    submit(stage_create(partitions_, request, *container, text), done);
}

void Items::upsert(const Request& request,
                   const catalog::ContainerPtr& container,
                   std::string_view text,
                   const ItemCallback& done) {
    submit(stage_upsert(partitions_, request, *container, text), done);
}

void Items::replace(const Request& request,
                    const catalog::ContainerPtr& container,
                    const ItemAddress& address,
                    std::string_view text,
                    const ItemCallback& done) {
    submit(stage_replace(partitions_, request, *container, address, text), done);
}

void Items::patch(const Request& request,
                  const catalog::ContainerPtr& container,
                  const ItemAddress& address,
                  std::string_view text,
                  const ItemCallback& done) {
    submit(stage_patch(partitions_, request, container, address, text), done);
}

void Items::remove(const Request& request,
                   const catalog::ContainerPtr& container,
                   const ItemAddress& address,
                   const ItemCallback& done) {
    submit(stage_remove(partitions_, request, *container, address), done);
}

void Items::remove_key(const Request& request,
                       const catalog::ContainerPtr& container,
                       const ItemCallback& done) {
    submit(stage_remove_key(partitions_, request, *container), done);
}

Result<ContainerUsage> Items::usage(const catalog::Container& container) {
    ContainerUsage usage;
    for (std::size_t i = 0; i < container.ranges.size(); ++i) {
        const auto partition = TRY(partitions_.open(container, i));
        const RangeUsage& range =
            usage.ranges.emplace_back(RangeUsage{.range_id = container.ranges[i].id,
                                                 .item_count = partition->item_count(),
                                                 .item_bytes = partition->item_bytes()});
        usage.item_count += range.item_count;
        usage.item_bytes += range.item_bytes;
    }
    return usage;
}

Result<Position> Items::first_position(const catalog::Container& container) {
    const auto partition = TRY(partitions_.open(container, 0));
    return Position{.range_id = container.ranges[0].id, .lsn = partition->lsn()};
}

void Items::submit(Result<StagedOperation> staged, const ItemCallback& done) {
    if (!staged) return done({.answer = std::move(staged).take_error(), .position = std::nullopt});
    const auto partition = staged->partition;
    partition->submit(std::make_unique<Task>(std::move(staged).take(), done));
}

}  // namespace orrery::service
