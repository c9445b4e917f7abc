// Runs stored procedures, and writes that name triggers.

#include "base/percent.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"
#include "gateway/router.h"
#include "script/system_scripts.h"
#include "service/triggers.h"

namespace orrery::gateway::handlers {

namespace {

using service::ProcedureAnswer;

// The service encodes the log with JavaScript's encodeURIComponent.
constexpr std::string_view kKeptByEncodeUriComponent = "!'()*";

Result<service::StoredScript> find_procedure(const service::FoundContainer& found,
                                             const std::string& segment) {
    if (auto system = script::system_procedure(segment)) {
        return service::StoredScript{.script = std::move(system), .version = segment};
    }
    const auto script = TRY(service::find_script(
        {.owner = found, .kind = model::ScriptKind::kStoredProcedure, .segment = segment}));
    return service::stored_script(script);
}

http::Response procedure_response(const Call& call,
                                  const service::FoundContainer& found,
                                  ProcedureAnswer answer,
                                  bool logging) {
    http::Response response =
        answer.body ? call.make_response(200) : call.make_error(answer.body.error());
    add_container_headers(response, found);
    if (logging) {
        response.add_header(header::kScriptLogResults,
                            percent_encode(answer.log, kKeptByEncodeUriComponent));
    }
    if (answer.body) response.body = std::move(*answer.body).value_or("");
    return response;
}

}  // namespace

void execute_procedure(const Backend& backend, const CallPtr& call) {
    const auto found = owner_of(backend, *call);
    if (!found) return call->fail(found.error());
    const auto procedure = find_procedure(*found, call->path.ids[2]);
    if (!procedure) return call->fail(procedure.error());
    const bool logging = call->flag(header::kScriptEnableLogging);
    call->context.allowance.may_block = true;
    backend.script_executor.execute(
        call->context,
        *found,
        *procedure,
        call->exchange().body(),
        logging,
        [&backend, call, found = *found, logging](ProcedureAnswer answer) {
            if (!answer.body && run_again(backend, call, answer.body.error())) return;
            auto held = std::make_shared<ProcedureAnswer>(std::move(answer));
            call->respond_with([call, found, held, logging] {
                return procedure_response(*call, found, std::move(*held), logging);
            });
        });
}

bool names_triggers(const Call& call) {
    return !call.header(header::kPreTrigger).value_or("").empty() ||
           !call.header(header::kPostTrigger).value_or("").empty();
}

Error no_triggers_here() {
    return Error(ErrorCode::kBadRequest, "This operation does not support triggers.");
}

void write_with_triggers(const Backend& backend,
                         const CallPtr& call,
                         const service::FoundContainer& found,
                         service::TriggeredWrite write,
                         const std::function<void(service::TriggeredAnswer)>& done) {
    const auto find = [&](std::string_view name, model::TriggerType type) {
        return service::find_trigger(
            *found.container, call->header(name).value_or(""), type, write.kind);
    };
    auto before = find(header::kPreTrigger, model::TriggerType::kPre);
    if (!before) return call->fail(before.error());
    auto after = find(header::kPostTrigger, model::TriggerType::kPost);
    if (!after) return call->fail(after.error());
    write.before = *std::move(before);
    write.after = *std::move(after);
    write.body = call->exchange().body();
    call->context.allowance.may_block = true;
    backend.script_executor.write(call->context, found, std::move(write), done);
}

}  // namespace orrery::gateway::handlers
