#include "script/spidermonkey/runtime.h"

#include <algorithm>

#include <js/Array.h>
#include <js/ContextOptions.h>
#include <js/Exception.h>
#include <js/GCAPI.h>
#include <js/Initialization.h>
#include <js/Interrupt.h>
#include <js/MemoryCallbacks.h>
#include <js/Principals.h>
#include <js/PropertyAndElement.h>
#include <js/Stack.h>
#include <jsfriendapi.h>

#include "base/check.h"
#include "script/spidermonkey/library.h"
#include "script/spidermonkey/running_script.h"
#include "script/spidermonkey/udf_session.h"

namespace orrery::script {
namespace {

// The rest of the thread's stack is for host code called by a script.
constexpr std::size_t kJavaScriptStackBytes = kScriptStackBytes / 2;
constexpr std::uint32_t kNurseryBytesMax = 4 * 1024 * 1024;
constexpr std::size_t kPreparedMax = 2;
constexpr int kFailedMeasurementsMax = 20;
constexpr int kMeasurementPause = 9;

// Code cannot be created from text, by eval or Function, as in the service.
bool allow_dynamic_code(JSContext* /*context*/,
                        JS::RuntimeCode /*kind*/,
                        JS::HandleString /*code*/) {
    return false;
}
const JSSecurityCallbacks kSecurity = {allow_dynamic_code, nullptr};

Error time_exceeded() {
    return Error(ErrorCode::kTimeout,
                 "The requested operation exceeded maximum alloted time. Learn more: "
                 "https://aka.ms/cosmosdb-tsg-service-request-timeout");
}

}  // namespace

SpiderMonkeyRuntime::SpiderMonkeyRuntime(const RuntimeEnvironment& environment,
                                         const RuntimeOptions& options)
    : environment_(environment),
      options_(options),
      ids_(environment.random),
      scripts_(options.cache_bytes_max) {
    start_library();
    context_ = JS_NewContext(static_cast<std::uint32_t>(options.heap_bytes_max));
    CHECK(context_ != nullptr);
    configure_context();
    CHECK(JS::InitSelfHostedCode(context_));
    home_.init(context_, Realm::create_bare(context_, nullptr));
    CHECK(home_);
    const JSAutoRealm entered(context_, home_);
    memory_information_.init(context_, js::gc::NewMemoryInfoObject(context_));
    prelude_ = Realm::compile_prelude(context_);
    CHECK(prelude_ && memory_information_);
}

void SpiderMonkeyRuntime::configure_context() {
    JS_SetContextPrivate(context_, this);
    JS_SetNativeStackQuota(context_, kJavaScriptStackBytes);
    JS_SetGCParameter(context_, JSGC_MAX_NURSERY_BYTES, kNurseryBytesMax);
    JS_SetSecurityCallbacks(context_, &kSecurity);
    JS::ContextOptionsRef(context_).setAsmJS(false).setWasm(false);
    CHECK(JS_AddInterruptCallback(context_, interrupt));
    // A script that allocates fast triggers garbage collections. Check its memory then instead of
    // waiting for the watchdog.
    JS_SetGCCallback(
        context_,
        [](JSContext* context, JSGCStatus status, JS::GCReason reason, void* /*data*/) {
            if (status == JSGC_END && reason != JS::GCReason::API) {
                JS_RequestInterruptCallback(context);
            }
        },
        nullptr);
    JS::SetOutOfMemoryCallback(
        context_,
        [](JSContext*, void* self) { static_cast<SpiderMonkeyRuntime*>(self)->exhausted_ = true; },
        this);
    jobs_ = std::make_unique<JobQueue>(context_);
}

SpiderMonkeyRuntime::~SpiderMonkeyRuntime() {
    CHECK(deadlines_.empty() && running_ == nullptr);
    // Compiled scripts share strings with the context, so release them first.
    prepared_.clear();
    watched_.reset();
    scripts_.clear();
    prelude_ = nullptr;
    memory_information_.reset();
    home_.reset();
    jobs_.reset();
    JS_DestroyContext(context_);
}

SpiderMonkeyRuntime& SpiderMonkeyRuntime::of(JSContext* context) {
    return *static_cast<SpiderMonkeyRuntime*>(JS_GetContextPrivate(context));
}

Outcome SpiderMonkeyRuntime::run(const Execution& execution, ScriptHost& host) {
    CHECK(running_ == nullptr);
    ++counts_.runs;
    collect_old_scripts();
    const std::chrono::milliseconds started = now();
    Outcome outcome;
    {
        RunningScript script(*this, execution, host);
        running_ = &script;
        outcome = script.run();
        running_ = nullptr;
    }
    stopped_.reset();
    outcome.took = now() - started;
    return outcome;
}

std::unique_ptr<UdfSession> SpiderMonkeyRuntime::open_udfs(std::chrono::milliseconds time_limit) {
    if (running_ == nullptr) collect_old_scripts();
    ++counts_.udf_sessions;
    return std::make_unique<SpiderMonkeyUdfSession>(*this, time_limit);
}

Status SpiderMonkeyRuntime::check(const Script& script) {
    const Deadline deadline(*this,
                            std::chrono::milliseconds(model::limits::kScriptMillisecondsMax));
    const std::shared_ptr<CompiledScript> compiled = TRY(compile(script));
    const std::unique_ptr<Realm> realm = take_realm();
    if (!realm) return take_failure(Phase::kCompiling, file_name(script));
    const JSAutoRealm entered(context_, realm->global());
    JS::RootedValue function(context_);
    return load_function(*this, *realm, script, *compiled, &function);
}

Result<std::shared_ptr<CompiledScript>> SpiderMonkeyRuntime::compile(const Script& script) {
    const JSAutoRealm entered(context_, home_);
    std::shared_ptr<CompiledScript> compiled = scripts_.find_or_compile(context_, script);
    if (!compiled) return take_failure(Phase::kCompiling, file_name(script));
    return compiled;
}

void SpiderMonkeyRuntime::prepare() {
    if (!watched_) watched_ = create_watched();
    while (!exhausted_ && prepared_.size() < kPreparedMax) {
        std::unique_ptr<Realm> realm = create();
        if (!realm) {
            JS_ClearPendingException(context_);
            return;
        }
        prepared_.push_back(std::move(realm));
    }
}

void SpiderMonkeyRuntime::rest() { collect(); }

void SpiderMonkeyRuntime::collect() {
    JS::PrepareForFullGC(context_);
    JS::NonIncrementalGC(context_, JS::GCOptions::Shrink, JS::GCReason::API);
    scripts_.clear_evicted();
    if (watched_ && !watch(*watched_)) watched_.reset();
}

// All global objects share the names and strings of scripts, and the engine does not collect them
// until a thread rests or its memory is full.
void SpiderMonkeyRuntime::collect_old_scripts() {
    if (scripts_.bytes_evicted() >= options_.cache_bytes_max) collect();
}

std::unique_ptr<Realm> SpiderMonkeyRuntime::take_realm() {
    if (prepared_.empty()) return create();
    std::unique_ptr<Realm> realm = std::move(prepared_.front());
    prepared_.pop_front();
    return realm;
}

std::unique_ptr<Realm> SpiderMonkeyRuntime::take_realm_for(const CompiledScript& script) {
    if (script.leaves_traces) return take_realm();
    if (!watched_) watched_ = create_watched();
    return watched_ ? std::move(watched_) : take_realm();
}

void SpiderMonkeyRuntime::give_back(std::unique_ptr<Realm> realm, CompiledScript& script) {
    // Do not reuse the state of an interrupted execution.
    if (stopped_ || exhausted_ || watched_) return;
    const Realm::Trace trace = realm->restore();
    if (trace == Realm::Trace::kSome) script.leaves_traces = true;
    if (trace == Realm::Trace::kNone) watched_ = std::move(realm);
}

std::unique_ptr<Realm> SpiderMonkeyRuntime::create() {
    ++realms_made_;
    return Realm::create(context_, home_, prelude_);
}

std::unique_ptr<Realm> SpiderMonkeyRuntime::create_watched() {
    if (exhausted_) return nullptr;
    std::unique_ptr<Realm> realm = create();
    if (!realm) {
        JS_ClearPendingException(context_);
        return nullptr;
    }
    return watch(*realm) ? std::move(realm) : nullptr;
}

bool SpiderMonkeyRuntime::watch(Realm& realm) {
    if (realm.watch([this] { collect_young_objects(); })) return true;
    JS_ClearPendingException(context_);
    return false;
}

Error SpiderMonkeyRuntime::take_failure(Phase phase, std::string_view file) {
    if (JS::CurrentGlobalOrNull(context_) == nullptr) {
        // No global object could be created, so there is no realm to describe the exception in.
        JS_ClearPendingException(context_);
        return Error(ErrorCode::kUnavailable, "not enough memory to run the script");
    }
    if (JS_IsExceptionPending(context_)) {
        Error error = take_exception(context_, phase, file);
        // Describing it runs script code, which may have been stopped.
        if (!stopped_) return error;
    }
    if (stopped_) {
        Error error = std::move(*stopped_);
        stopped_.reset();
        return error;
    }
    return Error(ErrorCode::kInternal, "the script was stopped");
}

void SpiderMonkeyRuntime::stop(Error error) { stopped_.emplace(std::move(error)); }

bool SpiderMonkeyRuntime::interrupt(JSContext* context) { return of(context).may_continue(); }

bool SpiderMonkeyRuntime::may_continue() {
    if (deadlines_.empty()) return true;
    const std::chrono::milliseconds time = now();
    for (const Deadline* deadline : deadlines_) {
        if (time >= deadline->until_) {
            if (!stopped_) ++counts_.timeouts;
            stop(time_exceeded());
            return false;
        }
    }
    if (time < next_measurement_) return true;
    const bool is_within = is_within_memory_after_gc();
    // Measuring can take as long as the watchdog's interval, with a deep stack or a full heap; the
    // script must still make progress.
    next_measurement_ = now() + kMeasurementPause * (now() - time);
    if (is_within) return true;
    exhausted_ = true;
    stop(Error(ErrorCode::kBadRequest, "The script exceeded its memory limit."));
    return false;
}

bool SpiderMonkeyRuntime::is_within_memory_after_gc() {
    collect_young_objects();
    if (is_within_memory()) return true;
    // Some of the counted memory may be garbage.
    JS_GC(context_);
    return is_within_memory();
}

// Memory held by young objects is not counted until they survive a collection, and an array can
// grow to gigabytes without one (measured: a.push(1) in a loop). There is no API to collect them,
// so this allocates until the nursery is full.
void SpiderMonkeyRuntime::collect_young_objects() {
    // Large, but small enough for the nursery.
    constexpr std::size_t kElements = 100;
    const JSAutoRealm entered(context_, home_);
    const std::uint32_t before = JS_GetGCParameter(context_, JSGC_MINOR_GC_NUMBER);
    for (std::size_t bytes = 0; bytes <= 2 * kNurseryBytesMax; bytes += kElements * 8) {
        if (JS_GetGCParameter(context_, JSGC_MINOR_GC_NUMBER) != before) return;
        if (JS::NewArrayObject(context_, kElements) == nullptr) {
            JS_ClearPendingException(context_);
            return;
        }
    }
}

// Heap memory plus malloc memory held by it. The engine itself limits only the former.
bool SpiderMonkeyRuntime::is_within_memory() {
    const JSAutoRealm entered(context_, home_);
    JS::RootedValue heap_bytes(context_);
    JS::RootedValue other_bytes(context_);
    JS::RootedObject information(context_, memory_information_);
    if (!JS_GetProperty(context_, information, "gcBytes", &heap_bytes) ||
        !JS_GetProperty(context_, information, "mallocBytes", &other_bytes)) {
        // There may be no stack left right now, but a script that always prevents measuring is
        // suspect.
        JS_ClearPendingException(context_);
        return ++failed_measurements_ <= kFailedMeasurementsMax;
    }
    failed_measurements_ = 0;
    return heap_bytes.toNumber() + other_bytes.toNumber() <=
           static_cast<double>(options_.heap_bytes_max);
}

SpiderMonkeyRuntime::Deadline::Deadline(SpiderMonkeyRuntime& runtime,
                                        std::chrono::milliseconds time_limit)
    : runtime_(runtime), until_(runtime.now() + time_limit) {
    if (runtime_.deadlines_.empty()) {
        runtime_.next_measurement_ = {};
        JSContext* context = runtime_.context_;
        runtime_.guard_.emplace(runtime_.environment_.watchdog,
                                [context] { JS_RequestInterruptCallback(context); });
    }
    runtime_.deadlines_.push_back(this);
}

SpiderMonkeyRuntime::Deadline::~Deadline() {
    std::erase(runtime_.deadlines_, this);
    if (runtime_.deadlines_.empty()) runtime_.guard_.reset();
}

std::unique_ptr<Runtime> make_runtime(const RuntimeEnvironment& environment,
                                      const RuntimeOptions& options) {
    return std::make_unique<SpiderMonkeyRuntime>(environment, options);
}

}  // namespace orrery::script
