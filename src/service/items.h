// The operations on single items. Reads answer at once; writes are handed to the partition's
// executor and answer through the callback, on the executor's thread, when they are durable or
// refused.

#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/resources.h"
#include "model/resource_id.h"
#include "service/item_target.h"
#include "service/partitions.h"
#include "service/request.h"

namespace orrery::service {

struct ItemAnswer {
    enum class Kind : std::uint8_t { kRead, kNotModified, kCreated, kReplaced, kRemoved };

    Kind kind = Kind::kRead;
    // The item's JSON is record.substr(json_offset).
    std::string record;
    std::size_t json_offset = 0;
    std::string etag;
    partition::Lsn item_lsn = 0;
};

// The position is known as soon as the request has found its partition, also when it then fails:
// clients keep it in their session.
struct ItemOutcome {
    Result<ItemAnswer> answer;
    std::optional<Position> position;
};

using ItemCallback = std::function<void(ItemOutcome)>;

// An item by its id, or by its rid.
struct ItemAddress {
    std::string id;
    std::optional<model::ItemRid> rid;
};

// What a container holds.
struct ContainerUsage {
    std::uint64_t item_count = 0;
    std::uint64_t item_bytes = 0;
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
    void remove(const Request& request,
                const catalog::ContainerPtr& container,
                const ItemAddress& address,
                const ItemCallback& done);

    Result<ContainerUsage> usage(const catalog::Container& container);

private:
    using Operation = std::function<Result<ItemAnswer>(partition::ItemWriter&)>;
    // Create or upsert: what an item without an address can be written with.
    using PutOperation = Result<partition::WrittenItem> (partition::ItemWriter::*)(
        const model::ItemBody&, std::string_view, const partition::WriteRules&);
    class Task;
    struct Located;

    void put(const Request& request,
             const catalog::Container& container,
             std::string_view text,
             PutOperation operation,
             const ItemCallback& done);

    // Finds partition and item of an operation that names one.
    Result<Located> locate(const Request& request,
                           const catalog::Container& container,
                           const ItemAddress& address);
    static void submit(const std::shared_ptr<partition::Partition>& partition,
                       Operation operation,
                       const ItemCallback& done);

    Partitions& partitions_;
};

}  // namespace orrery::service
