#include "partition/key_delete_tasks.h"

#include "base/log.h"

namespace orrery::partition {

namespace {

// Items visited per commit: few, so that client writes are not delayed.
constexpr std::size_t kItemsPerCommit = 100;

class KeySweepTask final : public WriteTask {
public:
    KeySweepTask(std::string partition_key,
                 KeySweepPosition& position,
                 std::function<void(bool)> done)
        : partition_key_(std::move(partition_key)), position_(position), done_(std::move(done)) {}

    Status apply(ItemWriter& writer) override {
        const KeyDelete* wanted =
            writer.deletes() ? writer.deletes()->find(partition_key_) : nullptr;
        if (wanted == nullptr) return {};
        // A repeated delete starts over.
        next_ = {.lsn = wanted->lsn, .from = position_.lsn == wanted->lsn ? position_.from : 0};
        next_.from = TRY(writer.sweep_key(partition_key_, next_.from, kItemsPerCommit));
        return {};
    }
    void complete(Status outcome) override {
        if (outcome) {
            position_ = next_;
        } else {
            log::warn("key_delete_failed", {{"reason", outcome.error().message()}});
        }
        done_(static_cast<bool>(outcome));
    }

private:
    std::string partition_key_;
    KeySweepPosition& position_;
    KeySweepPosition next_;
    std::function<void(bool)> done_;
};

}  // namespace

std::unique_ptr<WriteTask> make_key_sweep_task(std::string partition_key,
                                               KeySweepPosition& position,
                                               std::function<void(bool)> done) {
    return std::make_unique<KeySweepTask>(std::move(partition_key), position, std::move(done));
}

}  // namespace orrery::partition
