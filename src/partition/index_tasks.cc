#include "partition/index_tasks.h"

#include "base/log.h"

namespace orrery::partition {

namespace {

class IndexTask final : public WriteTask {
public:
    IndexTask(std::function<Status(ItemWriter&)> apply, std::function<void(bool)> done)
        : apply_(std::move(apply)), done_(std::move(done)) {}

    Status apply(ItemWriter& writer) override { return apply_(writer); }
    void complete(Status outcome) override {
        if (!outcome) log::warn("index_change_failed", {{"reason", outcome.error().message()}});
        done_(static_cast<bool>(outcome));
    }

private:
    std::function<Status(ItemWriter&)> apply_;
    std::function<void(bool)> done_;
};

}  // namespace

std::unique_ptr<WriteTask> make_adopt_task(std::shared_ptr<const index::PathPolicy> policy,
                                           std::function<void(bool)> done) {
    return std::make_unique<IndexTask>(
        [policy = std::move(policy)](ItemWriter& writer) { return writer.adopt_policy(policy); },
        std::move(done));
}

std::unique_ptr<WriteTask> make_advance_task(std::function<void(bool)> done) {
    return std::make_unique<IndexTask>([](ItemWriter& writer) { return writer.advance_index(); },
                                       std::move(done));
}

}  // namespace orrery::partition
