#include "service/script_transaction.h"

#include <algorithm>
#include <numeric>

#include "model/container_definition.h"
#include "model/limits.h"
#include "service/consistency.h"
#include "service/errors.h"
#include "service/item_selection.h"

namespace orrery::service {

namespace {

using script::Operation;
using script::OperationKind;

constexpr std::string_view kAllItems = R"({"query":"SELECT * FROM root"})";
constexpr std::uint64_t kBytesPerMegabyte = std::uint64_t{1} << 20;

Error other_partition() {
    return bad_request(
        "Requests originating from scripts cannot reference partition keys other than the one for "
        "which client request was submitted.");
}

int status_of(ItemAnswer::Kind kind) {
    switch (kind) {
        case ItemAnswer::Kind::kCreated:
            return 201;
        case ItemAnswer::Kind::kRemoved:
            return 204;
        case ItemAnswer::Kind::kNotModified:
            return 304;
        default:
            return 200;
    }
}

std::string_view directive_of(script::IndexAction action) {
    switch (action) {
        case script::IndexAction::kInclude:
            return "Include";
        case script::IndexAction::kExclude:
            return "Exclude";
        default:
            return "Default";
    }
}

Result<ItemAddress> address_of(const Operation& operation) {
    if (!operation.item_is_rid) return ItemAddress{.id = operation.item, .rid = std::nullopt};
    const auto rid = model::ItemRid::parse(operation.item);
    if (!rid) return bad_request("The link of a document is not valid.");
    return ItemAddress{.id = {}, .rid = *rid};
}

}  // namespace

Result<std::unique_ptr<ScriptTransaction>> ScriptTransaction::begin(const Services& services,
                                                                    const Context& context,
                                                                    const FoundContainer& found,
                                                                    ContainerUdfs& udfs) {
    const catalog::Container& container = *found.container;
    TRY(check_intended_container(context.request, container));
    const model::PartitionKeyValue key = TRY(required_partition_key(context.request, container));
    ItemTarget target = TRY(route(services.partitions, context, container, key));
    TRY(check_session(context, *target.partition));
    return std::make_unique<ScriptTransaction>(
        Begun(), services, context, found, udfs, std::move(target));
}

ScriptTransaction::ScriptTransaction(Begun /*begun*/,
                                     const Services& services,
                                     const Context& context,
                                     FoundContainer found,
                                     ContainerUdfs& udfs,
                                     ItemTarget target)
    : services_(services),
      partition_key_(context.request.partition_key.value_or("")),
      api_version_(context.request.api_version),
      principal_(context.principal),
      allowance_(context.allowance),
      found_(std::move(found)),
      udfs_(udfs),
      encoded_key_(std::move(target.partition_key)),
      partition_(std::move(target.partition)) {}

Result<partition::Transaction*> ScriptTransaction::transaction() {
    if (!transaction_) {
        transaction_ = TRY(partition::Transaction::begin(partition_, services_.random));
    }
    return transaction_.get();
}

Result<OverlaySource*> ScriptTransaction::source() {
    if (!source_) {
        const catalog::Container& container = *found_.container;
        const partition::Transaction& transaction = *TRY(this->transaction());
        const ItemSelection selection = TRY(select_items(context_of({}).request, container));
        base_ = TRY(PartitionSource::open(
            *partition_, transaction, selection.scope, container.definition.default_ttl));
        source_ = std::make_unique<OverlaySource>(*base_, transaction.written());
    }
    return source_.get();
}

Result<partition::Lsn> ScriptTransaction::commit() {
    TRY(partition_->check_open());
    if (!transaction_) return partition_->lsn();
    return transaction_->commit();
}

Result<ItemAnswer> ScriptTransaction::run(const StagedOperation& operation, bool reads) {
    if (operation.partition != partition_) return other_partition();
    // Shared, because the commit runs the write again after this call has returned.
    const auto answer = std::make_shared<ItemAnswer>();
    const partition::Transaction::Write step =
        [answer, run = operation.run](partition::ItemWriter& writer) -> Status {
        *answer = TRY(run(writer));
        return {};
    };
    partition::Transaction* transaction = TRY(this->transaction());
    Status outcome = reads ? transaction->read(step) : transaction->write(step);
    if (!outcome) return std::move(outcome).take_error();
    if (reads) {
        charge_of_reads_ += answer->charge;
    } else {
        writes_.push_back(answer);
    }
    return *answer;
}

double ScriptTransaction::charge() const {
    return std::accumulate(
        writes_.begin(), writes_.end(), charge_of_reads_, [](double sum, const auto& write) {
            return sum + write->charge;
        });
}

std::string ScriptTransaction::self_link() const { return found_.container->self_link(); }

std::string ScriptTransaction::alt_link() const {
    return "dbs/" + found_.database->name + "/colls/" + found_.container->definition.id;
}

std::string ScriptTransaction::partition_key_definition() const {
    return model::to_json(found_.container->definition).find("partitionKey")->text();
}

std::string ScriptTransaction::quota_usage() const {
    return "collectionSize=" + std::to_string(partition_->item_bytes() / kBytesPerMegabyte) +
           ";documentsCount=" + std::to_string(partition_->item_count()) + ";";
}

std::string ScriptTransaction::quota_limits() const { return "collectionSize=20480;"; }

Context ScriptTransaction::context_of(const Operation& operation) const {
    Context context{.request = {}, .principal = principal_, .allowance = allowance_, .receipt = {}};
    context.allowance.claim.reset();  // the script as a whole is metered
    Request& request = context.request;
    request.api_version = api_version_;
    if (!partition_key_.empty()) request.partition_key = partition_key_;
    request.indexing_directive = directive_of(operation.index_action);
    if (!operation.etag.empty()) {
        auto& condition =
            operation.kind == OperationKind::kRead ? request.if_none_match : request.if_match;
        condition = operation.etag;
    }
    return context;
}

Result<StagedOperation> ScriptTransaction::stage(const Operation& operation,
                                                 const Context& context) const {
    const catalog::Container& container = *found_.container;
    Partitions& partitions = services_.partitions;
    switch (operation.kind) {
        case OperationKind::kCreate:
            return stage_create(partitions, context, container, operation.text);
        case OperationKind::kUpsert:
            return stage_upsert(partitions, context, container, operation.text);
        case OperationKind::kRead:
            return stage_read(partitions, context, container, TRY(address_of(operation)));
        case OperationKind::kReplace:
            return stage_replace(
                partitions, context, container, TRY(address_of(operation)), operation.text);
        case OperationKind::kPatch:
            return stage_patch(
                partitions, context, found_.container, TRY(address_of(operation)), operation.text);
        case OperationKind::kDelete:
            return stage_remove(partitions, context, container, TRY(address_of(operation)));
        default:
            return bad_request("Scripts do not support this operation.");
    }
}

Result<script::Reply> ScriptTransaction::execute(const Operation& operation) {
    if (operation.kind == OperationKind::kQuery || operation.kind == OperationKind::kReadFeed) {
        return read_page(operation);
    }
    auto staged = stage(operation, context_of(operation));
    if (!staged) {
        const bool mismatch = staged.error().sub_status() == kPartitionKeyMismatch;
        return mismatch ? other_partition() : std::move(staged).take_error();
    }
    const ItemAnswer answer = TRY(run(*staged, operation.kind == OperationKind::kRead));
    script::Reply reply;
    reply.status = status_of(answer.kind);
    reply.not_modified = answer.kind == ItemAnswer::Kind::kNotModified;
    if (!reply.not_modified) reply.body = answer.record.substr(answer.json_offset);
    return reply;
}

Result<script::Reply> ScriptTransaction::read_page(const Operation& operation) {
    Context context = context_of(operation);
    const std::string page_size = std::to_string(operation.page_size);
    context.request.max_item_count = page_size;
    if (!operation.continuation.empty()) context.request.continuation = operation.continuation;
    const bool feed = operation.kind == OperationKind::kReadFeed;
    const QueryText query{.body = feed ? kAllItems : std::string_view(operation.text)};
    sql::UdfCaller* udfs = !feed && calls_udfs(query) ? &udfs_.caller() : nullptr;
    OverlaySource* items = TRY(source());
    QueryAnswer answer = TRY(
        services_.queries.run_over(context, *found_.container, query, *items, udfs, time_left()));
    charge_of_reads_ += context.receipt.charge;
    script::Reply reply;
    reply.body = "[" + answer.page.elements + "]";
    reply.continuation = answer.page.continuation.value_or("");
    return reply;
}

std::chrono::milliseconds ScriptTransaction::time_left() const {
    constexpr std::chrono::milliseconds kTimeMax{model::limits::kScriptMillisecondsMax};
    const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(begun_.elapsed());
    return std::max(kTimeMax - spent, std::chrono::milliseconds(1));
}

Result<std::string> ScriptTransaction::evaluate_spatial(script::SpatialFunction /*function*/,
                                                        std::string_view /*first*/,
                                                        std::string_view /*second*/) {
    return not_implemented("Using spatial functions in scripts");
}

}  // namespace orrery::service
