// Operations on single items. Reads answer immediately; writes go to the partition's executor and
// call back on its thread once they are durable or refused.

#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"
#include "service/item_target.h"
#include "service/item_write.h"
#include "service/partitions.h"
#include "service/request.h"

namespace orrery::service {

// The position is set once the partition is known, even if the request then fails: clients keep it
// in their session.
struct ItemOutcome {
    Result<ItemAnswer> answer;
    std::optional<Position> position;
};

using ItemCallback = std::function<void(ItemOutcome)>;

// The contents of one range of a container.
struct RangeUsage {
    std::uint32_t range_id = 0;
    std::uint64_t item_count = 0;
    std::uint64_t item_bytes = 0;
};

struct ContainerUsage {
    std::uint64_t item_count = 0;
    std::uint64_t item_bytes = 0;
    std::vector<RangeUsage> ranges;
};

class Items {
public:
    explicit Items(Partitions& partitions) : partitions_(partitions) {}

    ItemOutcome read(const Request& request,
                     const catalog::ContainerPtr& container,
                     const ItemAddress& address);
    void create(const Request& request,
                const catalog::ContainerPtr& container,
                std::string_view body,
                const ItemCallback& done);
    void upsert(const Request& request,
                const catalog::ContainerPtr& container,
                std::string_view body,
                const ItemCallback& done);
    void replace(const Request& request,
                 const catalog::ContainerPtr& container,
                 const ItemAddress& address,
                 std::string_view body,
                 const ItemCallback& done);
    void patch(const Request& request,
               const catalog::ContainerPtr& container,
               const ItemAddress& address,
               std::string_view body,
               const ItemCallback& done);
    void remove(const Request& request,
                const catalog::ContainerPtr& container,
                const ItemAddress& address,
                const ItemCallback& done);

    // Removes all items of the request's partition key. They are invisible once this is answered
    // and removed from disk in the background.
    void remove_key(const Request& request,
                    const catalog::ContainerPtr& container,
                    const ItemCallback& done);

    // The contents of the container, and the position of its first range. Both may open partitions:
    // call them where blocking is allowed.
    Result<ContainerUsage> usage(const catalog::Container& container);
    Result<Position> first_position(const catalog::Container& container);

private:
    class Task;

    // Submits a staged operation to its partition; answers staging errors immediately.
    static void submit(Result<StagedOperation> staged, const ItemCallback& done);

    Partitions& partitions_;
};

}  // namespace orrery::service
