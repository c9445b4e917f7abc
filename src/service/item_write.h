// Prepares item operations: checks everything that needs no access to the store and returns the
// rest as a step for the partition's executor. Single writes and batches share these steps.

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
#include "service/context.h"
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
    double charge = 0;  // in request units
};

inline bool is_read(ItemAnswer::Kind kind) {
    return kind == ItemAnswer::Kind::kRead || kind == ItemAnswer::Kind::kNotModified;
}

// An item by its id, or by its rid.
struct ItemAddress {
    std::string id;
    std::optional<model::ItemRid> rid;
};

struct LocatedItem {
    std::shared_ptr<partition::Partition> partition;
    partition::ItemRef ref;
};

// Locates the partition and item that an operation addresses.
Result<LocatedItem> locate_item(Partitions& partitions,
                                const Context& context,
                                const catalog::Container& container,
                                const ItemAddress& address);

// An answer with the item, without its charge.
ItemAnswer answer_of(partition::StoredItem item,
                     const partition::Identity& identity,
                     ItemAnswer::Kind kind);

// The answer for an item that was read; kNotModified if the client's copy is current.
ItemAnswer read_answer(const Request& request,
                       const partition::Identity& identity,
                       partition::StoredItem item);

struct StagedOperation {
    std::shared_ptr<partition::Partition> partition;
    std::string partition_key;  // encoded; empty if it is not known
    // Valid as long as the partition.
    std::function<Result<ItemAnswer>(partition::ItemWriter&)> run;
};

Result<StagedOperation> stage_create(Partitions& partitions,
                                     const Context& context,
                                     const catalog::Container& container,
                                     std::string_view text);
Result<StagedOperation> stage_upsert(Partitions& partitions,
                                     const Context& context,
                                     const catalog::Container& container,
                                     std::string_view text);
Result<StagedOperation> stage_replace(Partitions& partitions,
                                      const Context& context,
                                      const catalog::Container& container,
                                      const ItemAddress& address,
                                      std::string_view text);
Result<StagedOperation> stage_patch(Partitions& partitions,
                                    const Context& context,
                                    const catalog::ContainerPtr& container,
                                    const ItemAddress& address,
                                    std::string_view text);
Result<StagedOperation> stage_remove(Partitions& partitions,
                                     const Context& context,
                                     const catalog::Container& container,
                                     const ItemAddress& address);
// All items of the request's partition key.
Result<StagedOperation> stage_remove_key(Partitions& partitions,
                                         const Context& context,
                                         const catalog::Container& container);
// A read that sees the writes staged before it.
Result<StagedOperation> stage_read(Partitions& partitions,
                                   const Context& context,
                                   const catalog::Container& container,
                                   const ItemAddress& address);

}  // namespace orrery::service
