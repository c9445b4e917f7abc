#include "tools/import/container_records.h"

#include <optional>
#include <utility>

#include "base/clock.h"
#include "client/client.h"
#include "client/pages.h"

namespace orrery::tools {

namespace {

class ContainerRecords final : public Records {
public:
    ContainerRecords(const ContainerSource& from,
                     SourceOptions options,
                     const std::atomic<bool>& interrupted)
        : options_(std::move(options)),
          client_(from.account, clock_, {}, &interrupted),
          pages_(client_, from.path() / "docs") {}

    Result<std::optional<Record>> next() override {
        while (next_ == items_.size()) {
            if (options_.before_waiting) options_.before_waiting();
            page_ = TRY(pages_.next());
            if (!page_) return std::optional<Record>();
            items_ = TRY(page_->elements());
            next_ = 0;
        }
        ++count_;
        return std::optional(
            Record{.line = count_, .text = std::string(items_[next_++]), .problem = {}});
    }

private:
    const SourceOptions options_;
    const SystemClock clock_;
    client::Client client_;
    client::Pages pages_;
    std::optional<client::Page> page_;
    client::Elements items_;  // of the page
    std::size_t next_ = 0;
    std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Records> read_container(const ContainerSource& from,
                                        SourceOptions options,
                                        const std::atomic<bool>& interrupted) {
    return std::make_unique<ContainerRecords>(from, std::move(options), interrupted);
}

}  // namespace orrery::tools
