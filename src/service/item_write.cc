#include "service/item_write.h"

#include "base/ascii.h"
#include "model/etag.h"
#include "partition/item_json.h"
#include "service/consistency.h"
#include "service/errors.h"
#include "service/item_patch.h"
#include "throughput/charges.h"

namespace orrery::service {

ItemAnswer answer_of(partition::StoredItem item,
                     const partition::Identity& identity,
                     ItemAnswer::Kind kind) {
    ItemAnswer answer;
    answer.kind = kind;
    answer.etag = partition::item_etag(identity, item.header());
    answer.item_lsn = item.header().lsn;
    answer.json_offset = item.json_offset();
    answer.record = std::move(item).take_record();
    return answer;
}

namespace {

ItemAnswer answer_of(partition::WrittenItem written,
                     const partition::Identity& identity,
                     std::size_t properties_patched = 0) {
    const double charge = throughput::write_charge({.old_bytes = written.old_bytes,
                                                    .new_bytes = written.item.json().size(),
                                                    .terms_removed = written.index.removed,
                                                    .terms_added = written.index.added,
                                                    .properties_patched = properties_patched});
    ItemAnswer answer =
        answer_of(std::move(written.item),
                  identity,
                  written.created ? ItemAnswer::Kind::kCreated : ItemAnswer::Kind::kReplaced);
    answer.charge = charge;
    return answer;
}

Result<partition::IndexingDirective> directive_of(const Request& request) {
    using partition::IndexingDirective;
    const std::string_view name = request.indexing_directive.value_or("");
    if (name.empty() || same_word(name, "default")) return IndexingDirective::kDefault;
    if (same_word(name, "include")) return IndexingDirective::kInclude;
    if (same_word(name, "exclude")) return IndexingDirective::kExclude;
    return bad_request("The indexing directive must be 'Default', 'Include' or 'Exclude'.");
}

Result<partition::WriteRules> rules_of(const Request& request,
                                       const catalog::Container& container) {
    partition::WriteRules rules;
    rules.default_ttl = container.definition.default_ttl;
    if (request.if_match) rules.if_match = std::string(*request.if_match);
    rules.indexing = TRY(directive_of(request));
    if (request.exclude_system_properties) {
        rules.system_properties = partition::SystemProperties::kFew;
    }
    return rules;
}

Error partition_key_mismatch() {
    return bad_request(
        "PartitionKey extracted from document doesn't match the one specified in the header. Learn "
        "more: https://aka.ms/CosmosDB/sql/errors/wrong-pk-value",
        kPartitionKeyMismatch);
}

// Parses the body and checks that its partition key agrees with the header's, if given.
Result<model::ItemBody> checked_body(const Request& request,
                                     const catalog::Container& container,
                                     std::string_view text) {
    TRY(check_intended_container(request, container));
    std::optional<model::PartitionKeyValue> header_key;
    if (request.partition_key) header_key = TRY(required_partition_key(request, container));
    model::ItemBody body = TRY(model::parse_item_body(text, container.item_paths));
    if (header_key && *header_key != body.partition_key) return partition_key_mismatch();
    return body;
}

// ItemWriter::create or upsert: writes that need no address.
using PutOperation = Result<partition::WrittenItem> (partition::ItemWriter::*)(
    const model::ItemBody&, std::string_view, const partition::WriteRules&);

Result<StagedOperation> stage_put(Partitions& partitions,
                                  const Context& context,
                                  const catalog::Container& container,
                                  std::string_view text,
                                  PutOperation operation) {
    model::ItemBody body = TRY(checked_body(context.request, container, text));
    ItemTarget target = TRY(route(partitions, context, container, body.partition_key));
    partition::WriteRules rules = TRY(rules_of(context.request, container));
    const partition::Identity& identity = target.partition->identity();
    return StagedOperation{
        .partition = std::move(target.partition),
        .partition_key = std::move(target.partition_key),
        .run = [&identity,
                operation,
                body = std::move(body),
                epk = std::move(target.epk),
                rules = std::move(rules)](partition::ItemWriter& writer) -> Result<ItemAnswer> {
            return answer_of(TRY((writer.*operation)(body, epk, rules)), identity);
        }};
}

}  // namespace

Result<LocatedItem> locate_item(Partitions& partitions,
                                const Context& context,
                                const catalog::Container& container,
                                const ItemAddress& address) {
    TRY(check_intended_container(context.request, container));
    LocatedItem located;
    located.ref.id = address.id;
    if (address.rid) {
        if (address.rid->container != container.rid) return not_found();
        located.ref.docnum = address.rid->number;
        if (container.ranges.size() == 1 && !context.request.partition_key) {
            located.partition = TRY(partitions.open(container, 0, context.allowance));
            return located;
        }
    }
    const model::PartitionKeyValue key = TRY(required_partition_key(context.request, container));
    ItemTarget target = TRY(route(partitions, context, container, key));
    located.partition = std::move(target.partition);
    located.ref.epk = std::move(target.epk);
    located.ref.partition_key = std::move(target.partition_key);
    return located;
}

ItemAnswer read_answer(const Request& request,
                       const partition::Identity& identity,
                       partition::StoredItem item) {
    ItemAnswer answer = answer_of(std::move(item), identity, ItemAnswer::Kind::kRead);
    const double factor = read_cost_factor(request);
    answer.charge = throughput::read_charge(answer.record.size() - answer.json_offset) * factor;
    if (request.if_none_match && model::etag_matches(*request.if_none_match, answer.etag)) {
        answer.kind = ItemAnswer::Kind::kNotModified;
        answer.charge = throughput::kRefusedCharge * factor;
    }
    return answer;
}

Result<StagedOperation> stage_create(Partitions& partitions,
                                     const Context& context,
                                     const catalog::Container& container,
                                     std::string_view text) {
    return stage_put(partitions, context, container, text, &partition::ItemWriter::create);
}

Result<StagedOperation> stage_upsert(Partitions& partitions,
                                     const Context& context,
                                     const catalog::Container& container,
                                     std::string_view text) {
    return stage_put(partitions, context, container, text, &partition::ItemWriter::upsert);
}

Result<StagedOperation> stage_replace(Partitions& partitions,
                                      const Context& context,
                                      const catalog::Container& container,
                                      const ItemAddress& address,
                                      std::string_view text) {
    LocatedItem located = TRY(locate_item(partitions, context, container, address));
    model::ItemBody body = TRY(checked_body(context.request, container, text));
    partition::WriteRules rules = TRY(rules_of(context.request, container));
    const partition::Identity& identity = located.partition->identity();
    return StagedOperation{
        .partition = std::move(located.partition),
        .partition_key = located.ref.partition_key.value_or(""),
        .run = [&identity,
                ref = std::move(located.ref),
                body = std::move(body),
                rules = std::move(rules)](partition::ItemWriter& writer) -> Result<ItemAnswer> {
            return answer_of(TRY(writer.replace(ref, body, rules)), identity);
        }};
}

Result<StagedOperation> stage_patch(Partitions& partitions,
                                    const Context& context,
                                    const catalog::ContainerPtr& container,
                                    const ItemAddress& address,
                                    std::string_view text) {
    LocatedItem located = TRY(locate_item(partitions, context, *container, address));
    // Shared, because std::function requires copyable captures.
    const auto patch = std::make_shared<const ItemPatch>(
        TRY(ItemPatch::parse(text, container, located.partition->clock())));
    partition::WriteRules rules = TRY(rules_of(context.request, *container));
    const partition::Identity& identity = located.partition->identity();
    return StagedOperation{
        .partition = std::move(located.partition),
        .partition_key = located.ref.partition_key.value_or(""),
        .run = [&identity, ref = std::move(located.ref), patch, rules = std::move(rules)](
                   partition::ItemWriter& writer) -> Result<ItemAnswer> {
            partition::WrittenItem written = TRY(writer.change(
                ref, [&](std::string_view json) { return patch->apply(json); }, rules));
            return answer_of(std::move(written), identity, patch->size());
        }};
}

Result<StagedOperation> stage_remove(Partitions& partitions,
                                     const Context& context,
                                     const catalog::Container& container,
                                     const ItemAddress& address) {
    LocatedItem located = TRY(locate_item(partitions, context, container, address));
    partition::WriteRules rules = TRY(rules_of(context.request, container));
    return StagedOperation{
        .partition = std::move(located.partition),
        .partition_key = located.ref.partition_key.value_or(""),
        .run = [ref = std::move(located.ref),
                rules = std::move(rules)](partition::ItemWriter& writer) -> Result<ItemAnswer> {
            ItemAnswer answer;
            answer.kind = ItemAnswer::Kind::kRemoved;
            const partition::RemovedItem removed = TRY(writer.remove(ref, rules));
            answer.item_lsn = removed.lsn;
            answer.charge = throughput::write_charge(
                {.old_bytes = removed.bytes, .terms_removed = removed.index.removed});
            return answer;
        }};
}

Result<StagedOperation> stage_remove_key(Partitions& partitions,
                                         const Context& context,
                                         const catalog::Container& container) {
    TRY(check_intended_container(context.request, container));
    const model::PartitionKeyValue key = TRY(required_partition_key(context.request, container));
    ItemTarget target = TRY(route(partitions, context, container, key));
    return StagedOperation{
        .partition = std::move(target.partition),
        .partition_key = target.partition_key,
        .run = [partition_key = std::move(target.partition_key),
                epk = std::move(target.epk)](partition::ItemWriter& writer) -> Result<ItemAnswer> {
            ItemAnswer answer;
            answer.kind = ItemAnswer::Kind::kRemoved;
            answer.item_lsn = TRY(writer.delete_key(partition_key, epk));
            answer.charge = throughput::kResourceCharge;
            return answer;
        }};
}

Result<StagedOperation> stage_read(Partitions& partitions,
                                   const Context& context,
                                   const catalog::Container& container,
                                   const ItemAddress& address) {
    LocatedItem located = TRY(locate_item(partitions, context, container, address));
    partition::WriteRules rules = TRY(rules_of(context.request, container));
    const partition::Identity& identity = located.partition->identity();
    // Copied: the request's strings may be gone when this runs.
    std::optional<std::string> known;
    if (context.request.if_none_match) known = std::string(*context.request.if_none_match);
    return StagedOperation{
        .partition = std::move(located.partition),
        .partition_key = located.ref.partition_key.value_or(""),
        .run = [&identity,
                ref = std::move(located.ref),
                rules = std::move(rules),
                known = std::move(known)](partition::ItemWriter& writer) -> Result<ItemAnswer> {
            Request conditions;
            if (known) conditions.if_none_match = *known;
            auto item = TRY(writer.read(ref, rules));
            if (!item) return not_found();
            return read_answer(conditions, identity, std::move(*item));
        }};
}

}  // namespace orrery::service
