#include "service/items.h"

#include "base/ascii.h"
#include "model/etag.h"
#include "partition/item_json.h"
#include "service/errors.h"

namespace orrery::service {

namespace {

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

Result<partition::IndexingDirective> directive_of(const Request& request) {
    using partition::IndexingDirective;
    const std::string_view name = request.indexing_directive.value_or("");
    if (name.empty() || same_word(name, "default")) return IndexingDirective::kDefault;
    if (same_word(name, "include")) return IndexingDirective::kInclude;
    if (same_word(name, "exclude")) return IndexingDirective::kExclude;
    return bad_request("The indexing directive is 'Default', 'Include' or 'Exclude'.");
}

Result<partition::WriteRules> rules_of(const Request& request,
                                       const catalog::Container& container) {
    partition::WriteRules rules;
    rules.default_ttl = container.definition.default_ttl;
    if (request.if_match) rules.if_match = std::string(*request.if_match);
    rules.indexing = TRY(directive_of(request));
    return rules;
}

Error partition_key_mismatch() {
    constexpr std::uint32_t kPartitionKeyMismatch = 1001;
    return bad_request(
        "PartitionKey extracted from document doesn't match the one specified in the header. Learn "
        "more: https://aka.ms/CosmosDB/sql/errors/wrong-pk-value",
        kPartitionKeyMismatch);
}

// A body whose partition key agrees with the header, where there is one.
Result<model::ItemBody> checked_body(const Request& request,
                                     const catalog::Container& container,
                                     std::string_view text) {
    TRY(check_intended_container(request, container));
    const auto header_key = TRY(partition_key_of(request, container));
    model::ItemBody body = TRY(model::parse_item_body(text, container.item_paths));
    const bool given = request.partition_key.has_value();
    if (given && *header_key != body.partition_key) return partition_key_mismatch();
    return body;
}

}  // namespace

// One write on its way through the executor.
class Items::Task final : public partition::WriteTask {
public:
    Task(std::shared_ptr<partition::Partition> partition, Operation operation, ItemCallback done)
        : partition_(std::move(partition)),
          operation_(std::move(operation)),
          done_(std::move(done)) {}

    Status apply(partition::ItemWriter& writer) override {
        answer_ = TRY(operation_(writer));
        return {};
    }

    void complete(Status outcome) override {
        const Position position =
            position_of(*partition_, outcome ? answer_.item_lsn : partition::Lsn{0});
        if (outcome) {
            done_({.answer = std::move(answer_), .position = position});
        } else {
            done_({.answer = std::move(outcome).take_error(), .position = position});
        }
    }

private:
    std::shared_ptr<partition::Partition> partition_;
    Operation operation_;
    ItemCallback done_;
    ItemAnswer answer_;
};

struct Items::Located {
    std::shared_ptr<partition::Partition> partition;
    partition::ItemRef ref;
};

Result<Items::Located> Items::locate(const Request& request,
                                     const catalog::Container& container,
                                     const ItemAddress& address) {
    TRY(check_intended_container(request, container));
    Located located;
    located.ref.id = address.id;
    if (address.rid) {
        if (address.rid->container != container.rid) return not_found();
        located.ref.docnum = address.rid->number;
        if (container.ranges.size() == 1 && !request.partition_key) {
            located.partition = TRY(partitions_.open(container, 0));
            return located;
        }
    }
    const model::PartitionKeyValue key = TRY(required_partition_key(request, container));
    ItemTarget target = TRY(route(partitions_, container, key));
    located.partition = std::move(target.partition);
    located.ref.epk = std::move(target.epk);
    located.ref.partition_key = std::move(target.partition_key);
    return located;
}

ItemOutcome Items::read(const Request& request,
                        const catalog::ContainerPtr& container,
                        const ItemAddress& address) {
    auto located = locate(request, *container, address);
    if (!located) return {.answer = std::move(located).take_error(), .position = std::nullopt};
    const partition::Partition& partition = *located->partition;
    const auto refuse = [&](Error error) {
        return ItemOutcome{.answer = std::move(error), .position = position_of(partition)};
    };
    if (auto session = check_session(request, partition); !session) {
        return refuse(std::move(session).take_error());
    }
    auto found = partition.read(located->ref, container->definition.default_ttl);
    if (!found) return refuse(std::move(found).take_error());
    if (!*found) return refuse(not_found());
    ItemAnswer answer =
        answer_of(std::move(**found), partition.identity(), ItemAnswer::Kind::kRead);
    if (request.if_none_match && model::etag_matches(*request.if_none_match, answer.etag)) {
        answer.kind = ItemAnswer::Kind::kNotModified;
    }
    const Position position = position_of(partition, answer.item_lsn);
    return {.answer = std::move(answer), .position = position};
}

void Items::create(const Request& request,
                   const catalog::ContainerPtr& container,
                   std::string_view text,
                   const ItemCallback& done) {
    put(request, *container, text, &partition::ItemWriter::create, done);
}

void Items::upsert(const Request& request,
                   const catalog::ContainerPtr& container,
                   std::string_view text,
                   const ItemCallback& done) {
    put(request, *container, text, &partition::ItemWriter::upsert, done);
}

void Items::put(const Request& request,
                const catalog::Container& container,
                std::string_view text,
                PutOperation operation,
                const ItemCallback& done) {
    auto body = checked_body(request, container, text);
    if (!body) return done({.answer = std::move(body).take_error(), .position = std::nullopt});
    auto target = route(partitions_, container, body->partition_key);
    if (!target) return done({.answer = std::move(target).take_error(), .position = std::nullopt});
    auto rules = rules_of(request, container);
    if (!rules) return done({.answer = std::move(rules).take_error(), .position = std::nullopt});
    const auto& partition = target->partition;
    submit(
        partition,
        [&identity = partition->identity(),
         operation,
         body = std::move(*body),
         epk = std::move(target->epk),
         rules = std::move(*rules)](partition::ItemWriter& writer) -> Result<ItemAnswer> {
            partition::WrittenItem written = TRY((writer.*operation)(body, epk, rules));
            return answer_of(
                std::move(written.item),
                identity,
                written.created ? ItemAnswer::Kind::kCreated : ItemAnswer::Kind::kReplaced);
        },
        done);
}

void Items::replace(const Request& request,
                    const catalog::ContainerPtr& container,
                    const ItemAddress& address,
                    std::string_view text,
                    const ItemCallback& done) {
    auto located = locate(request, *container, address);
    if (!located)
        return done({.answer = std::move(located).take_error(), .position = std::nullopt});
    auto body = checked_body(request, *container, text);
    if (!body) return done({.answer = std::move(body).take_error(), .position = std::nullopt});
    auto rules = rules_of(request, *container);
    if (!rules) return done({.answer = std::move(rules).take_error(), .position = std::nullopt});
    submit(
        located->partition,
        [&identity = located->partition->identity(),
         ref = std::move(located->ref),
         body = std::move(*body),
         rules = std::move(*rules)](partition::ItemWriter& writer) -> Result<ItemAnswer> {
            partition::WrittenItem written = TRY(writer.replace(ref, body, rules));
            return answer_of(std::move(written.item), identity, ItemAnswer::Kind::kReplaced);
        },
        done);
}

void Items::remove(const Request& request,
                   const catalog::ContainerPtr& container,
                   const ItemAddress& address,
                   const ItemCallback& done) {
    auto located = locate(request, *container, address);
    if (!located)
        return done({.answer = std::move(located).take_error(), .position = std::nullopt});
    auto rules = rules_of(request, *container);
    if (!rules) return done({.answer = std::move(rules).take_error(), .position = std::nullopt});
    submit(
        located->partition,
        [ref = std::move(located->ref),
         rules = std::move(*rules)](partition::ItemWriter& writer) -> Result<ItemAnswer> {
            ItemAnswer answer;
            answer.kind = ItemAnswer::Kind::kRemoved;
            answer.item_lsn = TRY(writer.remove(ref, rules));
            return answer;
        },
        done);
}

Result<ContainerUsage> Items::usage(const catalog::Container& container) {
    ContainerUsage usage;
    for (std::size_t i = 0; i < container.ranges.size(); ++i) {
        const auto partition = TRY(partitions_.open(container, i));
        usage.item_count += partition->item_count();
        usage.item_bytes += partition->item_bytes();
    }
    return usage;
}

void Items::submit(const std::shared_ptr<partition::Partition>& partition,
                   Operation operation,
                   const ItemCallback& done) {
    partition->submit(std::make_unique<Task>(partition, std::move(operation), done));
}

}  // namespace orrery::service
