#include "service/script_executor.h"

#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "json/value.h"
#include "model/item_body.h"
#include "model/limits.h"
#include "service/container_udfs.h"
#include "service/metering.h"
#include "service/scripts.h"
#include "throughput/charges.h"

namespace orrery::service {

namespace {

using script::Execution;
using script::Outcome;
using script::ScriptKind;
// A procedure's response body, as JSON.
using Body = std::optional<std::string>;

// Conflicts are rare, so most scripts commit within a few attempts; after ten return 449, as Cosmos
// DB does.
constexpr int kAttemptsMax = 10;

Error conflicting() {
    return Error(ErrorCode::kRetryWith,
                 "Conflicting request to resource has been attempted. Retry to avoid conflicts.");
}

bool is_conflict(const Error& error) { return error.code() == ErrorCode::kConflict; }

const char* name_of(TriggeredWrite::Kind kind) {
    switch (kind) {
        case TriggeredWrite::Kind::kCreate:
            return "Create";
        case TriggeredWrite::Kind::kUpsert:
            return "Upsert";
        case TriggeredWrite::Kind::kReplace:
            return "Replace";
        case TriggeredWrite::Kind::kRemove:
            break;
    }
    return "Delete";
}

// Creates and upserts may omit the partition key header; the item then has the key.
bool lacks_key(const Request& request,
               const catalog::Container& container,
               const TriggeredWrite& write) {
    return !request.partition_key && !container.definition.partition_key.system_key &&
           (write.kind == TriggeredWrite::Kind::kCreate ||
            write.kind == TriggeredWrite::Kind::kUpsert);
}

// Retries a transaction until it commits. `attempt` returns an answer to commit, or an error that
// ends the loop.
template <typename Answer, typename Attempt>
Result<Answer> transact(const ScriptTransaction::Services& services,
                        Context& context,
                        const FoundContainer& found,
                        ContainerUdfs& udfs,
                        partition::Lsn& committed,
                        Attempt attempt) {
    constexpr std::chrono::milliseconds kTimeMax{model::limits::kScriptMillisecondsMax};
    std::chrono::milliseconds spent{0};
    for (int i = 0; i < kAttemptsMax && spent < kTimeMax; ++i) {
        const auto transaction = TRY(ScriptTransaction::begin(services, context, found, udfs));
        Result<Answer> answer = attempt(*transaction, spent);
        const auto lsn = answer ? transaction->commit() : Result<partition::Lsn>(partition::Lsn{0});
        if (answer && !lsn && is_conflict(lsn.error())) continue;
        context.receipt.charge = throughput::script_charge(spent) + transaction->charge();
        spend(context,
              transaction->partition(),
              transaction->partition_key(),
              context.receipt.charge);
        // What the script has read may be out of date if others have the partition now.
        if (!answer) TRY(transaction->partition().check_open());
        if (!answer) return answer;
        if (!lsn) return lsn.error().copy();
        committed = *lsn;
        context.receipt.position = position_of(transaction->partition(), *lsn);
        return answer;
    }
    return conflicting();
}

}  // namespace

StoredScript stored_script(const catalog::ScriptPtr& script) {
    return {.script = std::shared_ptr<const script::Script>(script, &script->definition),
            .version = version_of(*script)};
}

void ScriptExecutor::execute(Context& context,
                             const FoundContainer& found,
                             const StoredScript& procedure,
                             std::string arguments,
                             bool logging,
                             const std::function<void(ProcedureAnswer)>& done) {
    Execution execution;
    execution.kind = ScriptKind::kStoredProcedure;
    execution.script = procedure.script;
    execution.arguments = std::move(arguments);
    execution.logging = logging;
    auto posted = pool_.post(
        [this, &context, found, procedure, execution, done](script::Runtime& runtime) mutable {
            done(run_procedure(runtime, context, found, procedure, execution));
        });
    if (!posted) {
        done({.body = std::move(posted).take_error(), .log = {}});
    }
}

void ScriptExecutor::write(Context& context,
                           const FoundContainer& found,
                           TriggeredWrite write,
                           const std::function<void(TriggeredAnswer)>& done) {
    auto posted = pool_.post(
        [this, &context, found, write = std::move(write), done](script::Runtime& runtime) {
            done(run_write(runtime, context, found, write));
        });
    if (!posted) {
        done({.item = std::move(posted).take_error(), .body = {}});
    }
}

Status ScriptExecutor::with_udfs(const catalog::ContainerPtr& container,
                                 std::function<void(sql::UdfCaller&)> query,
                                 std::function<void()> done) {
    return pool_.post([this, container, query = std::move(query), done = std::move(done)](
                          script::Runtime& runtime) {
        ContainerUdfs udfs(runtime, *container, blocked_.udfs);
        std::chrono::nanoseconds took{};
        {
            const Stopwatch watch(true, took);
            query(udfs.caller());
        }
        udfs.record(std::chrono::duration_cast<std::chrono::milliseconds>(took));
        done();
    });
}

ProcedureAnswer ScriptExecutor::run_procedure(script::Runtime& runtime,
                                              Context& context,
                                              const FoundContainer& found,
                                              const StoredScript& procedure,
                                              script::Execution& execution) {
    std::string log;
    const auto attempt = [&](ScriptTransaction& transaction,
                             std::chrono::milliseconds& spent) -> Result<Body> {
        Outcome outcome = run_script(runtime, procedure, execution, transaction);
        log = std::move(outcome.log);
        spent += outcome.took;
        TRY(std::move(outcome.status));
        return Body(std::move(outcome.body));
    };
    partition::Lsn lsn = 0;
    ContainerUdfs udfs(runtime, *found.container, blocked_.udfs);
    auto done = transact<Body>(services_, context, found, udfs, lsn, attempt);
    return {.body = std::move(done), .log = std::move(log)};
}

TriggeredAnswer ScriptExecutor::run_write(script::Runtime& runtime,
                                          Context& context,
                                          const FoundContainer& found,
                                          const TriggeredWrite& write) {
    Context keyed = context;
    std::string key;
    if (lacks_key(context.request, *found.container, write)) {
        auto body = model::parse_item_body(write.body, found.container->item_paths);
        if (!body) {
            return {.item = std::move(body).take_error(), .body = {}};
        }
        key = body->partition_key.to_json();
        keyed.request.partition_key = key;
    }
    partition::Lsn lsn = 0;
    ContainerUdfs udfs(runtime, *found.container, blocked_.udfs);
    auto done = transact<TriggeredAnswer>(
        services_,
        keyed,
        found,
        udfs,
        lsn,
        [&](ScriptTransaction& transaction, std::chrono::milliseconds& /*spent*/) {
            return try_write(runtime, keyed, *found.container, write, transaction);
        });
    context.receipt = keyed.receipt;
    if (done) {
        // The transaction ran before the commit assigned the LSN.
        done->item->item_lsn = lsn;
        return std::move(done).take();
    }
    return {.item = std::move(done).take_error(), .body = {}};
}

Result<StagedOperation> ScriptExecutor::stage(const Context& context,
                                              const catalog::Container& container,
                                              const TriggeredWrite& write,
                                              std::string_view body) const {
    Partitions& partitions = services_.partitions;
    switch (write.kind) {
        case TriggeredWrite::Kind::kCreate:
            return stage_create(partitions, context, container, body);
        case TriggeredWrite::Kind::kUpsert:
            return stage_upsert(partitions, context, container, body);
        case TriggeredWrite::Kind::kReplace:
            return stage_replace(partitions, context, container, write.address, body);
        case TriggeredWrite::Kind::kRemove:
            break;
    }
    return stage_remove(partitions, context, container, write.address);
}

// A delete has no body, so its triggers see the stored item. A replace body may lack the item's
// system properties, so add them for the triggers.
Status ScriptExecutor::show_item(const Context& context,
                                 const catalog::Container& container,
                                 const TriggeredWrite& write,
                                 ScriptTransaction& transaction,
                                 std::string& body) const {
    const bool removes = write.kind == TriggeredWrite::Kind::kRemove;
    if (!removes && write.kind != TriggeredWrite::Kind::kReplace) return {};
    const StagedOperation read =
        TRY(stage_read(services_.partitions, context, container, write.address));
    const ItemAnswer item = TRY(transaction.run(read, true));
    const std::string_view stored = std::string_view(item.record).substr(item.json_offset);
    if (removes) {
        body = stored;
        return {};
    }
    json::Value shown = TRY(json::Value::parse(body));
    if (!shown.is_object()) return {};
    const json::Value existing = TRY(json::Value::parse(stored));
    for (const json::Value::Member& member : existing.object()) {
        if (model::is_system_property(member.name)) shown.set(member.name, member.value);
    }
    body = shown.text();
    return {};
}

Result<TriggeredAnswer> ScriptExecutor::try_write(script::Runtime& runtime,
                                                  const Context& context,
                                                  const catalog::Container& container,
                                                  const TriggeredWrite& write,
                                                  ScriptTransaction& transaction) {
    Execution execution;
    execution.operation_type = name_of(write.kind);
    execution.request_body = write.body;
    TRY(show_item(context, container, write, transaction, execution.request_body));
    if (write.before) {
        execution.kind = ScriptKind::kPreTrigger;
        execution.script = write.before->script;
        Outcome outcome = run_script(runtime, *write.before, execution, transaction);
        TRY(std::move(outcome.status));
        if (outcome.body) execution.request_body = *std::move(outcome.body);
    }
    const StagedOperation staged = TRY(stage(context, container, write, execution.request_body));
    TriggeredAnswer answer{.item = transaction.run(staged, false), .body = std::nullopt};
    if (!answer.item) return std::move(answer.item).take_error();
    if (write.after) {
        execution.kind = ScriptKind::kPostTrigger;
        execution.script = write.after->script;
        execution.response_body = answer.item->record.substr(answer.item->json_offset);
        Outcome outcome = run_script(runtime, *write.after, execution, transaction);
        TRY(std::move(outcome.status));
        if (outcome.body_was_set) answer.body = std::move(outcome.body);
    }
    return answer;
}

script::Outcome ScriptExecutor::run_script(script::Runtime& runtime,
                                           const StoredScript& script,
                                           const script::Execution& execution,
                                           ScriptTransaction& transaction) {
    if (Status allowed = blocked_.procedures.check(script.version, script.script->id); !allowed) {
        Outcome outcome;
        outcome.status = std::move(allowed);
        return outcome;
    }
    Outcome outcome = runtime.run(execution, transaction);
    blocked_.procedures.record(script.version, outcome.took);
    return outcome;
}

}  // namespace orrery::service
