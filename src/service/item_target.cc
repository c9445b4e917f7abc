#include "service/item_target.h"

#include <algorithm>

#include "model/effective_partition_key.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

Error wrong_component_count() {
    return bad_request(
        "Partition key provided either doesn't correspond to definition in the collection or "
        "doesn't match partition key field values specified in the document.",
        kPartitionKeyMismatch);
}

}  // namespace

Result<std::optional<model::PartitionKeyValue>> partition_key_of(
    const Request& request, const catalog::Container& container) {
    const model::PartitionKeyDefinition& definition = container.definition.partition_key;
    std::optional<model::PartitionKeyValue> key;
    if (request.partition_key) key = TRY(model::parse_partition_key_header(*request.partition_key));
    if (definition.system_key) {
        // [] and [{}] both mean "no key" here, and old clients send nothing.
        const bool none =
            !key ||
            (key->size() == 1 &&
             std::holds_alternative<model::PartitionKeyValue::Undefined>(key->components()[0]));
        if (none) key.emplace();
        return key;
    }
    if (key && (key->empty() || key->size() > definition.paths.size())) {
        return wrong_component_count();
    }
    return key;
}

Result<model::PartitionKeyValue> required_partition_key(const Request& request,
                                                        const catalog::Container& container) {
    auto key = TRY(partition_key_of(request, container));
    if (!key) {
        return bad_request("PartitionKey value must be supplied for this operation.");
    }
    const model::PartitionKeyDefinition& definition = container.definition.partition_key;
    if (!definition.system_key && key->size() != definition.paths.size()) {
        return wrong_component_count();
    }
    return *std::move(key);
}

Result<ItemTarget> route(Partitions& partitions,
                         const Context& context,
                         const catalog::Container& container,
                         const model::PartitionKeyValue& key) {
    ItemTarget target;
    target.epk = model::effective_partition_key(key, container.definition.partition_key.kind);
    target.partition_key = key.encode();
    target.partition =
        TRY(partitions.open(container, container.range_of(target.epk), context.allowance));
    return target;
}

Status check_intended_container(const Request& request, const catalog::Container& container) {
    const auto& intended = request.intended_container_rid;
    if (!intended || intended->empty() || *intended == container.rid.text()) return {};
    constexpr std::uint32_t kIntendedContainerMismatch = 1024;
    return bad_request(
        "The container's resource id does not match the intended one; the "
        "container was recreated.",
        kIntendedContainerMismatch);
}

Position position_at(const partition::Partition& partition, partition::Lsn lsn) {
    return {.range_id = partition.identity().range_id,
            .version = partition.identity().container.number,
            .lsn = lsn};
}

Position position_of(const partition::Partition& partition, partition::Lsn at_least) {
    return position_at(partition, std::max(partition.lsn(), at_least));
}

}  // namespace orrery::service
