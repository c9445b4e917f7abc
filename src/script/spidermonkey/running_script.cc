#include "script/spidermonkey/running_script.h"

#include <algorithm>

#include <js/CallAndConstruct.h>
#include <js/Exception.h>
#include <js/PropertyAndElement.h>
#include <js/ValueArray.h>

#include "base/log.h"
#include "base/stopwatch.h"
#include "model/limits.h"
#include "script/spidermonkey/failure.h"
#include "script/spidermonkey/values.h"

namespace orrery::script {
namespace {

constexpr const char* kLogResponseHeader = "x-ms-documentdb-script-log-results";

// A UTF-16 unit takes at most three bytes.
constexpr std::size_t kBodyBytesMax = 3 * model::limits::kScriptMessageUnitsMax;

// Operations are refused in the last fifth of the time, so that the script can end by itself.
std::chrono::milliseconds time_for_operations(std::chrono::milliseconds limit) {
    return limit * 4 / 5;
}

std::chrono::milliseconds bounded(std::chrono::milliseconds limit) {
    return std::min(limit, std::chrono::milliseconds(model::limits::kScriptMillisecondsMax));
}

}  // namespace

Status load_function(SpiderMonkeyRuntime& runtime,
                     Realm& realm,
                     const Script& script,
                     const CompiledScript& compiled,
                     JS::MutableHandleValue function) {
    if (!realm.evaluate(compiled.stencil, function)) {
        return runtime.take_failure(Phase::kExecuting, file_name(script));
    }
    if (!function.isObject() || !JS::IsCallable(&function.toObject())) {
        return Error(ErrorCode::kBadRequest,
                     "Encountered exception while compiling Javascript. Exception = TypeError: "
                     "the body of the script is not a function",
                     kCompileErrorSubStatus);
    }
    return {};
}

RunningScript::RunningScript(SpiderMonkeyRuntime& runtime,
                             const Execution& execution,
                             ScriptHost& host)
    : runtime_(runtime),
      context_(runtime.context()),
      execution_(execution),
      host_(host),
      file_(file_name(*execution.script)),
      deadline_(runtime, bounded(execution.time_limit)),
      accept_until_(runtime.now() + time_for_operations(bounded(execution.time_limit))),
      messages_(context_) {}

Outcome RunningScript::run() {
    Outcome outcome;
    auto compiled = runtime_.compile(*execution_.script);
    if (!compiled) {
        outcome.status = std::move(compiled).take_error();
        return outcome;
    }
    realm_ = runtime_.take_realm_for(**compiled);
    if (!realm_) {
        outcome.status = failure();
        return outcome;
    }
    run_in_realm(**compiled, outcome);
    runtime_.jobs().clear();
    runtime_.give_back(std::move(realm_), **compiled);
    return outcome;
}

void RunningScript::run_in_realm(const CompiledScript& compiled, Outcome& outcome) {
    const JSAutoRealm entered(context_, realm_->global());
    outcome.status = run_all(compiled);
    if (outcome.status) outcome.status = read_results(outcome);
    outcome.log = read_log();
}

Status RunningScript::run_all(const CompiledScript& compiled) {
    JS::RootedValue execution(context_);
    JS::RootedValue messages(context_);
    if (!describe(&execution) || !realm_->start(execution, &messages)) return failure();
    messages_ = &messages.toObject();
    TRY(run_main(compiled));
    return run_callbacks();
}

Status RunningScript::run_main(const CompiledScript& compiled) {
    JS::RootedValue parameters(context_, JS::NullValue());
    JS::RootedValue main(context_);
    if (!parse_parameters(&parameters)) {
        JS_ClearPendingException(context_);
        return Error(ErrorCode::kBadRequest,
                     "The parameters of a stored procedure must be a JSON array.");
    }
    TRY(load_function(runtime_, *realm_, *execution_.script, compiled, &main));
    if (!realm_->call(main, parameters)) return failure();
    if (!runtime_.jobs().run_all()) return failure();
    return {};
}

bool RunningScript::parse_parameters(JS::MutableHandleValue out) {
    if (execution_.kind != ScriptKind::kStoredProcedure || execution_.arguments.empty())
        return true;
    return parse_json(context_, execution_.arguments, out) && out.isObjectOrNull();
}

Status RunningScript::run_callbacks() {
    while (!pending_.empty()) {
        const std::unique_ptr<Pending> next = std::move(pending_.front());
        pending_.pop_front();
        pending_bytes_ -= next->bytes;
        pending_time_ -= next->took;
        if (!deliver(*next) || !runtime_.jobs().run_all()) return failure();
    }
    return {};
}

bool RunningScript::deliver(const Pending& pending) {
    JS::RootedValueArray<3> arguments(context_);
    if (!pending.reply) {
        if (!make_error_object(context_, pending.reply.error(), arguments[0])) return false;
    } else {
        const Reply& reply = *pending.reply;
        if (!reply.not_modified && !reply.body.empty() &&
            !parse_json(context_, reply.body, arguments[1])) {
            return false;
        }
        if (!make_options(reply, arguments[2])) return false;
    }
    JS::RootedValue completion(context_, JS::ObjectValue(*pending.completion));
    JS::RootedValue ignored(context_);
    return JS::Call(context_, JS::UndefinedHandleValue, completion, arguments, &ignored);
}

bool RunningScript::make_options(const Reply& reply, JS::MutableHandleValue out) {
    JS::RootedObject options(context_, JS_NewPlainObject(context_));
    if (!options) return false;
    JS::RootedValue status(context_, JS::Int32Value(reply.status));
    JS::RootedValue yes(context_, JS::TrueValue());
    out.setObject(*options);
    return JS_SetProperty(context_, options, "statusCode", status) &&
           set_property(context_, options, "currentCollectionSizeInMB", host_.quota_usage()) &&
           set_property(context_, options, "maxCollectionSizeInMB", host_.quota_limits()) &&
           (!reply.not_modified || JS_SetProperty(context_, options, "notModified", yes)) &&
           (reply.continuation.empty() ||
            set_property(context_, options, "continuation", reply.continuation));
}

// Accepted operations must be able to finish: assume that a callback takes as long as its operation
// did.
bool RunningScript::accepts() const {
    return runtime_.now() + pending_time_ < accept_until_ &&
           pending_.size() < model::limits::kScriptPendingMax &&
           pending_bytes_ < model::limits::kScriptPendingBytesMax && host_.accepts_operations();
}

bool RunningScript::submit(const Operation& operation, JS::HandleObject completion) {
    const auto execute = [&]() -> Result<Reply> {
        if (operation.kind == OperationKind::kAttachment) {
            return Error(ErrorCode::kBadRequest, "Attachments are not supported in scripts.");
        }
        // Exceptions must not unwind through the engine's frames.
        try {
            return host_.execute(operation);
        } catch (const std::exception& exception) {
            log::error("script_host_threw", {{"what", exception.what()}});
            return Error(ErrorCode::kInternal, "the operation failed");
        }
    };
    std::chrono::nanoseconds took{0};
    Result<Reply> reply = [&] {
        const Stopwatch watch(true, took);
        return execute();
    }();
    if (!reply && ends_execution(reply.error().code())) {
        runtime_.stop(std::move(reply).take_error());
        return false;
    }
    const std::size_t bytes = reply ? reply->body.size() : 0;
    pending_.push_back(std::make_unique<Pending>(context_, completion, std::move(reply)));
    pending_.back()->bytes = bytes;
    pending_.back()->took = took;
    pending_bytes_ += bytes;
    pending_time_ += took;
    return true;
}

// The argument of the prelude's start().
bool RunningScript::describe(JS::MutableHandleValue out) {
    JS::RootedObject object(context_, JS_NewPlainObject(context_));
    if (!object) return false;
    out.setObject(*object);
    const auto add = [&](const char* name, std::string_view text) {
        return set_property(context_, object, name, text);
    };
    JS::RootedValue kind(context_, JS::Int32Value(static_cast<std::int32_t>(execution_.kind)));
    JS::RootedValue logging(context_, JS::BooleanValue(execution_.logging));
    if (!JS_SetProperty(context_, object, "kind", kind) ||
        !JS_SetProperty(context_, object, "logging", logging) ||
        !add("selfLink", host_.self_link()) || !add("altLink", host_.alt_link())) {
        return false;
    }
    if (execution_.kind == ScriptKind::kStoredProcedure) return true;
    return add("operationType", execution_.operation_type) &&
           add("requestBody", execution_.request_body) &&
           add("responseBody", execution_.response_body) &&
           add("quotaUsage", host_.quota_usage()) && add("quotaLimits", host_.quota_limits());
}

bool RunningScript::message_property(const char* message,
                                     const char* key,
                                     const char* field,
                                     JS::MutableHandleValue out) {
    JS::RootedValue value(context_);
    JS::RootedObject object(context_, messages_);
    for (const char* name : {message, key}) {
        if (!JS_GetProperty(context_, object, name, &value)) return false;
        if (!value.isObject()) {
            out.setUndefined();
            return true;
        }
        object = &value.toObject();
    }
    return JS_GetProperty(context_, object, field, out);
}

Status RunningScript::read_results(Outcome& outcome) {
    const bool is_pre_trigger = execution_.kind == ScriptKind::kPreTrigger;
    const char* message = is_pre_trigger ? "request" : "response";
    JS::RootedValue body(context_);
    JS::RootedValue is_set(context_);
    if (!message_property(message, "Body", "value", &body) ||
        !message_property(message, "Body", "isSet", &is_set)) {
        return failure();
    }
    outcome.body_was_set = is_set.isTrue();
    // An item may be given as JSON text.
    if (is_pre_trigger && body.isString()) {
        JS::RootedString text(context_, body.toString());
        outcome.body.emplace();
        if (!append_utf8(context_, text, *outcome.body)) return failure();
        return {};
    }
    if (!print_json(context_, body, outcome.body)) return failure();
    // The body was measured when it was set, but an object may have grown since.
    if (outcome.body && outcome.body->size() > kBodyBytesMax) {
        return Error(ErrorCode::kTooLarge, "The body set by the script is too large.");
    }
    return {};
}

std::string RunningScript::read_log() {
    std::string log;
    JS::RootedValue value(context_);
    if (!messages_ || execution_.kind != ScriptKind::kStoredProcedure) return log;
    // Runs no script code: only a string is accepted as the log.
    if (!message_property("response", kLogResponseHeader, "value", &value) || !value.isString()) {
        return log;
    }
    JS::RootedString text(context_, value.toString());
    if (!append_utf8(context_, text, log)) log.clear();
    JS_ClearPendingException(context_);
    return log;
}

}  // namespace orrery::script
