#include "partition/version_tasks.h"

#include <utility>

#include "base/log.h"

namespace orrery::partition {

namespace {

// Few, so that client writes are not delayed.
constexpr std::size_t kVersionsPerCommit = 200;

class TrimTask final : public WriteTask {
public:
    TrimTask(std::optional<std::int64_t> before, std::function<void(bool)> done)
        : before_(before), done_(std::move(done)) {}

    Status apply(ItemWriter& writer) override {
        more_ = TRY(writer.trim_versions(before_, kVersionsPerCommit));
        return {};
    }
    void complete(Status outcome) override {
        if (!outcome) log::warn("trim_failed", {{"reason", outcome.error().message()}});
        done_(outcome && more_);
    }

private:
    const std::optional<std::int64_t> before_;
    std::function<void(bool)> done_;
    bool more_ = false;
};

}  // namespace

Result<bool> has_old_versions(const Partition& partition, std::optional<std::int64_t> before) {
    const auto state = partition.store().snapshot();
    const auto version = state->scan(all_of('H'), storage::Direction::kForward);
    if (version->valid()) {
        if (!before) return true;
        const Docnum docnum = TRY(docnum_of_key(version->key()));
        const std::string_view record = TRY(Version::decode(version->value())).record;
        if (TRY(ItemView::decode(docnum, record)).header.timestamp < *before) return true;
    }
    TRY(version->status());
    if (!before) return false;
    const auto removal = state->scan(all_of('V'), storage::Direction::kForward);
    if (!removal->valid()) {
        TRY(removal->status());
        return false;
    }
    return TRY(Removal::decode(removal->value())).timestamp < *before;
}

std::unique_ptr<WriteTask> make_trim_task(std::optional<std::int64_t> before,
                                          std::function<void(bool)> done) {
    return std::make_unique<TrimTask>(before, std::move(done));
}

}  // namespace orrery::partition
