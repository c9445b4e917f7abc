#include "service/attachments.h"

#include <algorithm>

#include "json/value.h"
#include "service/consistency.h"
#include "service/errors.h"
#include "service/metering.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

partition::WriteRules attachment_rules(const Request& request,
                                       const catalog::Container& container) {
    partition::WriteRules rules;
    rules.default_ttl = container.definition.default_ttl;
    if (request.if_match) rules.if_match = std::string(*request.if_match);
    return rules;
}

Result<partition::AttachmentRef> ref_of(const AttachmentAddress& address) {
    partition::AttachmentRef ref{.id = address.id, .with_media = address.as_media};
    if (address.rid) {
        if (address.owner.rid != address.rid->item) return not_found();
        ref.number = address.rid->number;
    }
    return ref;
}

ItemAnswer written_answer(partition::WrittenAttachment written,
                          const partition::Identity& identity) {
    ItemAnswer answer =
        answer_of(std::move(written.attachment),
                  identity,
                  written.created ? ItemAnswer::Kind::kCreated : ItemAnswer::Kind::kReplaced);
    answer.charge =
        throughput::write_charge({.old_bytes = written.old_bytes, .new_bytes = written.new_bytes});
    return answer;
}

// One request that reads attachments: the item, what it costs, where it leaves the session.
class AttachmentRead {
public:
    AttachmentRead(Context& context, LocatedItem located)
        : context_(context), located_(std::move(located)) {
        context_.receipt.position = position_of(*located_.partition);
    }

    Result<partition::Attachments> open(const catalog::Container& container) {
        const partition::Partition& partition = *located_.partition;
        TRY(check_session(context_, partition));
        auto found = TRY(partition::Attachments::open(
            partition, located_.ref, container.definition.default_ttl));
        TRY(partition.check_open());
        if (!found) return item_not_found();
        return std::move(*found);
    }

    const partition::Identity& identity() const { return located_.partition->identity(); }

    // Ends the request.
    template <typename Answer>
    Result<Answer> pay(Result<Answer> answer, double charge) {
        const partition::Partition& partition = *located_.partition;
        const std::string key = located_.ref.partition_key.value_or("");
        if (answer) {
            context_.receipt.charge = charge;
            spend(context_, partition, key, charge);
        } else {
            spend_on_failure(context_, partition, key, answer.error());
        }
        return answer;
    }

private:
    Context& context_;
    LocatedItem located_;
};

Result<ItemAnswer> read_one(const Request& request,
                            const partition::Identity& identity,
                            const Result<partition::Attachments>& attachments,
                            const partition::AttachmentRef& ref) {
    if (!attachments) return attachments.error().copy();
    const partition::AttachmentEntry* entry = attachments->directory().find(ref);
    if (entry == nullptr) return not_found();
    return read_answer(request, identity, TRY(attachments->read(*entry)));
}

Result<MediaAnswer> read_media_of(const Request& request,
                                  const partition::Identity& identity,
                                  const Result<partition::Attachments>& attachments,
                                  const partition::AttachmentRef& ref) {
    MediaAnswer out;
    out.attachment = TRY(read_one(request, identity, attachments, ref));
    const std::string_view json =
        std::string_view(out.attachment.record).substr(out.attachment.json_offset);
    const json::Value properties = TRY(json::Value::parse(json));
    const json::Value* type = properties.find("contentType");
    out.content_type =
        type != nullptr && type->is_string() ? type->string() : "application/octet-stream";
    if (out.attachment.kind == ItemAnswer::Kind::kNotModified) return out;
    out.bytes = TRY(attachments->media(*attachments->directory().find(ref)));
    out.attachment.charge = throughput::read_charge(out.bytes.size()) * read_cost_factor(request);
    return out;
}

}  // namespace

Result<Attachments::List> Attachments::list(Context& context,
                                            const catalog::Container& container,
                                            const ItemAddress& owner,
                                            const QueryText* query) {
    AttachmentRead reading(context, TRY(locate_item(partitions_, context, container, owner)));
    const auto run = [&]() -> Result<List> {
        const partition::Attachments attachments = TRY(reading.open(container));
        Status read;
        std::vector<Listed> listed;
        for (const partition::AttachmentEntry& entry : attachments.directory().entries) {
            listed.push_back({entry.number, [&]() -> json::Value {
                                  const auto record = attachments.read(entry);
                                  auto body = record ? json::Value::parse(record->json())
                                                     : Result<json::Value>(record.error().copy());
                                  if (body) return *body;
                                  read = body.error().copy();
                                  return {};
                              }});
        }
        const std::string rid =
            model::ItemRid{.container = container.rid, .number = attachments.owner()}.text();
        Page page = TRY(feed_.page(context, listed, query, "attachments of " + rid));
        TRY(std::move(read));
        return List{.owner_rid = rid, .page = std::move(page)};
    };
    Result<List> answer = run();
    return reading.pay(std::move(answer), context.receipt.charge);
}

Result<ItemAnswer> Attachments::read(Context& context,
                                     const catalog::Container& container,
                                     const AttachmentAddress& address) {
    AttachmentRead reading(context, TRY(locate(context, container, address)));
    const partition::AttachmentRef ref = TRY(ref_of(address));
    Result<ItemAnswer> answer =
        read_one(context.request, reading.identity(), reading.open(container), ref);
    const double charge = answer ? answer->charge : 0;
    return reading.pay(std::move(answer), charge);
}

Result<MediaAnswer> Attachments::read_media(Context& context,
                                            const catalog::Container& container,
                                            const AttachmentAddress& address) {
    AttachmentRead reading(context, TRY(locate(context, container, address)));
    const partition::AttachmentRef ref = TRY(ref_of(address));
    Result<MediaAnswer> answer =
        read_media_of(context.request, reading.identity(), reading.open(container), ref);
    const double charge = answer ? answer->attachment.charge : 0;
    return reading.pay(std::move(answer), charge);
}

void Attachments::create(Context& context,
                         const catalog::Container& container,
                         const ItemAddress& owner,
                         model::AttachmentBody body,
                         const ItemCallback& done) {
    put(context,
        container,
        owner,
        std::move(body),
        &partition::ItemWriter::create_attachment,
        done);
}

void Attachments::upsert(Context& context,
                         const catalog::Container& container,
                         const ItemAddress& owner,
                         model::AttachmentBody body,
                         const ItemCallback& done) {
    put(context,
        container,
        owner,
        std::move(body),
        &partition::ItemWriter::upsert_attachment,
        done);
}

void Attachments::put(Context& context,
                      const catalog::Container& container,
                      const ItemAddress& owner,
                      model::AttachmentBody body,
                      Put operation,
                      const ItemCallback& done) {
    const auto stage = [&]() -> Result<StagedOperation> {
        LocatedItem located = TRY(locate_item(partitions_, context, container, owner));
        if (body.id.empty()) {
            body.id = ids_.next();
            json::Value properties(json::Value::Object{});
            properties.set("id", body.id);
            for (const json::Value::Member& member : body.properties.object())
                properties.set(member.name, member.value);
            body.properties = std::move(properties);
        }
        const partition::Identity& identity = located.partition->identity();
        return StagedOperation{
            .partition = std::move(located.partition),
            .partition_key = located.ref.partition_key.value_or(""),
            .run = [&identity,
                    operation,
                    ref = std::move(located.ref),
                    written = std::make_shared<const model::AttachmentBody>(std::move(body)),
                    rules = attachment_rules(context.request, container)](
                       partition::ItemWriter& writer) -> Result<ItemAnswer> {
                return written_answer(TRY((writer.*operation)(ref, *written, rules)), identity);
            }};
    };
    Items::submit(context, stage(), done);
}

void Attachments::replace(Context& context,
                          const catalog::Container& container,
                          const AttachmentAddress& address,
                          model::AttachmentBody body,
                          const ItemCallback& done) {
    const auto stage = [&]() -> Result<StagedOperation> {
        LocatedItem located = TRY(locate(context, container, address));
        partition::AttachmentRef attachment = TRY(ref_of(address));
        const partition::Identity& identity = located.partition->identity();
        return StagedOperation{
            .partition = std::move(located.partition),
            .partition_key = located.ref.partition_key.value_or(""),
            .run = [&identity,
                    ref = std::move(located.ref),
                    attachment = std::move(attachment),
                    written = std::make_shared<const model::AttachmentBody>(std::move(body)),
                    rules = attachment_rules(context.request, container)](
                       partition::ItemWriter& writer) -> Result<ItemAnswer> {
                return written_answer(
                    TRY(writer.replace_attachment(ref, attachment, *written, rules)), identity);
            }};
    };
    Items::submit(context, stage(), done);
}

void Attachments::remove(Context& context,
                         const catalog::Container& container,
                         const AttachmentAddress& address,
                         const ItemCallback& done) {
    const auto stage = [&]() -> Result<StagedOperation> {
        LocatedItem located = TRY(locate(context, container, address));
        partition::AttachmentRef attachment = TRY(ref_of(address));
        return StagedOperation{.partition = std::move(located.partition),
                               .partition_key = located.ref.partition_key.value_or(""),
                               .run = [ref = std::move(located.ref),
                                       attachment = std::move(attachment),
                                       rules = attachment_rules(context.request, container)](
                                          partition::ItemWriter& writer) -> Result<ItemAnswer> {
                                   const partition::RemovedItem removed =
                                       TRY(writer.remove_attachment(ref, attachment, rules));
                                   ItemAnswer answer;
                                   answer.kind = ItemAnswer::Kind::kRemoved;
                                   answer.item_lsn = removed.lsn;
                                   answer.charge =
                                       throughput::write_charge({.old_bytes = removed.bytes});
                                   return answer;
                               }};
    };
    Items::submit(context, stage(), done);
}

Result<LocatedItem> Attachments::locate(const Context& context,
                                        const catalog::Container& container,
                                        const AttachmentAddress& address) {
    const bool anywhere = address.as_media && address.rid && !context.request.partition_key;
    if (anywhere) return find_anywhere(context, container, address.rid->item);
    return locate_item(partitions_, context, container, address.owner);
}

Result<LocatedItem> Attachments::find_anywhere(const Context& context,
                                               const catalog::Container& container,
                                               const model::ItemRid& rid) {
    if (rid.container != container.rid) return not_found();
    const std::uint32_t first = model::range_of_number(rid.number);
    const partition::ItemRef ref{
        .epk = {}, .partition_key = std::nullopt, .id = {}, .docnum = rid.number};
    for (std::size_t i = 0; i < container.ranges.size(); ++i) {
        const catalog::PartitionRange& range = container.ranges[i];
        const bool may_hold =
            range.id == first ||
            std::find(range.parents.begin(), range.parents.end(), first) != range.parents.end();
        if (!may_hold) continue;
        auto partition = TRY(partitions_.open(container, i, context.allowance));
        const auto item = TRY(partition->read(ref, container.definition.default_ttl));
        TRY(partition->check_open());
        if (!item) continue;
        LocatedItem found{.partition = std::move(partition), .ref = ref};
        found.ref.epk = item->epk();
        found.ref.partition_key = item->partition_key();
        return found;
    }
    return not_found();
}

}  // namespace orrery::service
