// Operations on single items. Reads answer immediately; writes go to the partition's executor and
// call back on its thread once they are durable or refused. The context must live until then.

#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"
#include "service/context.h"
#include "service/item_write.h"
#include "service/partitions.h"
#include "service/range_report.h"

namespace orrery::service {

using ItemCallback = std::function<void(Result<ItemAnswer>)>;

struct ContainerUsage {
    std::uint64_t item_count = 0;
    std::uint64_t item_bytes = 0;
    std::vector<RangeReport> ranges;
};

class Items {
public:
    explicit Items(Partitions& partitions, Placement* placement = nullptr)
        : partitions_(partitions), placement_(placement), reports_(partitions, placement) {}

    Result<ItemAnswer> read(Context& context,
                            const catalog::ContainerPtr& container,
                            const ItemAddress& address);
    void create(Context& context,
                const catalog::ContainerPtr& container,
                std::string_view body,
                const ItemCallback& done);
    void upsert(Context& context,
                const catalog::ContainerPtr& container,
                std::string_view body,
                const ItemCallback& done);
    void replace(Context& context,
                 const catalog::ContainerPtr& container,
                 const ItemAddress& address,
                 std::string_view body,
                 const ItemCallback& done);
    void patch(Context& context,
               const catalog::ContainerPtr& container,
               const ItemAddress& address,
               std::string_view body,
               const ItemCallback& done);
    void remove(Context& context,
                const catalog::ContainerPtr& container,
                const ItemAddress& address,
                const ItemCallback& done);

    // Removes all items of the request's partition key. They are invisible once this is answered
    // and removed from disk in the background.
    void remove_key(Context& context,
                    const catalog::ContainerPtr& container,
                    const ItemCallback& done);

    // The contents of the container. Opens partitions: call it where blocking is allowed.
    Result<ContainerUsage> usage(const catalog::Container& container);
    // Sets the receipt's position to that of the container's first range. May open its partition.
    Status locate(Context& context, const catalog::Container& container);

    // Submits a staged operation to its partition; answers staging errors immediately.
    static void submit(Context& context, Result<StagedOperation> staged, const ItemCallback& done);

private:
    class Task;

    Partitions& partitions_;
    Placement* const placement_;
    const RangeReports reports_;
};

}  // namespace orrery::service
