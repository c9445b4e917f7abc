// Operations on items made ready: everything about a request is checked that needs no look at the
// store, and what is left is a step for the executor of the item's partition. Single writes and
// batches are made of the same steps.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "catalog/resources.h"
#include "model/resource_id.h"
#include "partition/partition.h"
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

// An item by its id, or by its rid.
struct ItemAddress {
    std::string id;
    std::optional<model::ItemRid> rid;
};

struct LocatedItem {
    std::shared_ptr<partition::Partition> partition;
    partition::ItemRef ref;
};

// Finds partition and item of an operation that names one.
Result<LocatedItem> locate_item(Partitions& partitions,
                                const Request& request,
                                const catalog::Container& container,
                                const ItemAddress& address);

// What a read says of an item that was found; kNotModified when the client has it.
ItemAnswer read_answer(const Request& request,
                       const partition::Identity& identity,
                       partition::StoredItem item);

struct StagedOperation {
    std::shared_ptr<partition::Partition> partition;
    // Good as long as the partition is.
    std::function<Result<ItemAnswer>(partition::ItemWriter&)> run;
};

Result<StagedOperation> stage_create(Partitions& partitions,
                                     const Request& request,
                                     const catalog::Container& container,
                                     std::string_view text);
Result<StagedOperation> stage_upsert(Partitions& partitions,
                                     const Request& request,
                                     const catalog::Container& container,
                                     std::string_view text);
Result<StagedOperation> stage_replace(Partitions& partitions,
                                      const Request& request,
                                      const catalog::Container& container,
                                      const ItemAddress& address,
                                      std::string_view text);
Result<StagedOperation> stage_patch(Partitions& partitions,
                                    const Request& request,
                                    const catalog::ContainerPtr& container,
                                    const ItemAddress& address,
                                    std::string_view text);
Result<StagedOperation> stage_remove(Partitions& partitions,
                                     const Request& request,
                                     const catalog::Container& container,
                                     const ItemAddress& address);
// All items of the request's partition key.
Result<StagedOperation> stage_remove_key(Partitions& partitions,
                                         const Request& request,
                                         const catalog::Container& container);
// A read that is to see the writes in front of it.
Result<StagedOperation> stage_read(Partitions& partitions,
                                   const Request& request,
                                   const catalog::Container& container,
                                   const ItemAddress& address);

}  // namespace orrery::service
