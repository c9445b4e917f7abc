#include "script/spidermonkey/realm.h"

#include <string>

#include <js/CallAndConstruct.h>
#include <js/CompilationAndEvaluation.h>
#include <js/CompileOptions.h>
#include <js/GlobalObject.h>
#include <js/PropertyAndElement.h>
#include <js/RealmOptions.h>
#include <js/SourceText.h>
#include <js/ValueArray.h>

#include "script/prelude/prelude.h"
#include "script/spidermonkey/builtins.h"
#include "script/spidermonkey/failure.h"
#include "script/spidermonkey/natives.h"

namespace orrery::script {
namespace {

// Standard classes are created on first use, which makes a new global object cheap.
const JSClass kGlobalClass = {
    "global", JSCLASS_GLOBAL_FLAGS, &JS::DefaultGlobalClassOps, nullptr, nullptr, nullptr};

// How many instantiated scripts a watched global object keeps.
constexpr std::size_t kInstancesMax = 64;

JSScript* instantiate(JSContext* context, JS::Stencil* script) {
    const JS::InstantiateOptions options;
    return JS::InstantiateGlobalStencil(context, options, script);
}

JSObject* run_prelude(JSContext* context, JS::Stencil* prelude) {
    JS::RootedValue function(context);
    JS::RootedValue native(context);
    JS::RootedValue entries(context);
    JS::RootedScript script(context, instantiate(context, prelude));
    if (!script || !JS_ExecuteScript(context, script, &function) ||
        !make_natives(context, &native) ||
        !JS::Call(
            context, JS::UndefinedHandleValue, function, JS::HandleValueArray(native), &entries)) {
        return nullptr;
    }
    return &entries.toObject();
}

}  // namespace

JSObject* Realm::create_bare(JSContext* context, JSObject* neighbour) {
    JS::RealmOptions options;
    options.creationOptions()
        .setSharedMemoryAndAtomicsEnabled(false)
        .setWeakRefsEnabled(JS::WeakRefSpecifier::Disabled)
        .setToSourceEnabled(false);
    if (neighbour != nullptr) {
        options.creationOptions().setNewCompartmentInExistingZone(neighbour);
    }
    return JS_NewGlobalObject(context, &kGlobalClass, nullptr, JS::FireOnNewGlobalHook, options);
}

std::unique_ptr<Realm> Realm::create(JSContext* context,
                                     JSObject* neighbour,
                                     JS::Stencil* prelude) {
    auto realm = std::make_unique<Realm>(context);
    realm->global_ = create_bare(context, neighbour);
    if (!realm->global_) return nullptr;
    const JSAutoRealm entered(context, realm->global_);
    if (!install_builtins(context, realm->global_)) return nullptr;
    realm->prelude_ = run_prelude(context, prelude);
    if (!realm->prelude_ || !JS_GetProperty(context, realm->prelude_, "start", &realm->start_) ||
        !JS_GetProperty(context, realm->prelude_, "call", &realm->call_)) {
        return nullptr;
    }
    return realm;
}

RefPtr<JS::Stencil> Realm::compile_prelude(JSContext* context) {
    const std::string source = "(function (native) {\n" + std::string(kPrelude) + "\n})";
    JS::CompileOptions options(context);
    options.setFileAndLine(kPreludeFile, 1);
    options.setForceFullParse();
    JS::SourceText<mozilla::Utf8Unit> text;
    if (!text.init(context, source.data(), source.size(), JS::SourceOwnership::Borrowed)) {
        return nullptr;
    }
    return JS::CompileGlobalScriptToStencil(context, options, text);
}

bool Realm::start(JS::HandleValue execution, JS::MutableHandleValue messages) {
    return JS::Call(
        context_, JS::UndefinedHandleValue, start_, JS::HandleValueArray(execution), messages);
}

bool Realm::call(JS::HandleValue main, JS::HandleValue parameters) {
    JS::RootedValueArray<2> arguments(context_);
    arguments[0].set(main);
    arguments[1].set(parameters);
    JS::RootedValue ignored(context_);
    return JS::Call(context_, JS::UndefinedHandleValue, call_, arguments, &ignored);
}

bool Realm::evaluate(JS::Stencil* script, JS::MutableHandleValue function) {
    JS::RootedScript instance(context_);
    return instance_of(script, &instance) && JS_ExecuteScript(context_, instance, function);
}

bool Realm::instance_of(JS::Stencil* script, JS::MutableHandleScript out) {
    if (const auto known = instances_.find(script); known != instances_.end()) {
        out.set(known->second->script);
        return true;
    }
    out.set(instantiate(context_, script));
    if (!out) return false;
    if (!state_) return true;
    if (instances_.size() >= kInstancesMax) instances_.clear();
    auto instance = std::make_unique<Instance>(context_, script);
    instance->script = out;
    instances_.emplace(script, std::move(instance));
    return true;
}

bool Realm::watch(const std::function<void()>& collect_young) {
    const JSAutoRealm entered(context_, global_);
    JS::RootedValue hidden(context_);
    if (!forget_execution() || !call_prelude("forgetMatches") ||
        !call_prelude("hiddenObjects", &hidden)) {
        return false;
    }
    JS::RootedObject roots(context_, &hidden.toObject());
    state_ = std::make_unique<RealmState>(context_);
    if (!state_->find(global_, roots)) return false;
    collect_young();
    return state_->record();
}

Realm::Trace Realm::restore() {
    const JSAutoRealm entered(context_, global_);
    if (!state_) return Trace::kUnknown;
    if (!forget_execution()) {
        JS_ClearPendingException(context_);
        return Trace::kSome;
    }
    if (!state_->is_known()) return Trace::kUnknown;
    if (!state_->is_unchanged()) return Trace::kSome;
    // Nothing has been altered, so this runs only the prelude's own code.
    if (call_prelude("forgetMatches")) return Trace::kNone;
    JS_ClearPendingException(context_);
    return Trace::kUnknown;
}

// Undoes what start() did. Only defines own properties, which runs no script code.
bool Realm::forget_execution() {
    JS::RootedValue current(context_);
    JS::RootedValue console(context_);
    if (!JS_GetProperty(context_, prelude_, "current", &current) ||
        !JS_GetProperty(context_, prelude_, "silentConsole", &console)) {
        return false;
    }
    JS::RootedObject of_execution(context_, &current.toObject());
    const JS::HandleValue none = JS::UndefinedHandleValue;
    return JS_SetProperty(context_, of_execution, "response", none) &&
           JS_SetProperty(context_, of_execution, "shorthand", none) &&
           define_name("getContext", none) && define_name("__", none) &&
           define_name("console", console);
}

bool Realm::call_prelude(const char* name) {
    JS::RootedValue ignored(context_);
    return call_prelude(name, &ignored);
}

bool Realm::call_prelude(const char* name, JS::MutableHandleValue result) {
    return JS_CallFunctionName(context_, prelude_, name, JS::HandleValueArray::empty(), result);
}

bool Realm::define_name(const char* name, JS::HandleValue value) {
    return JS_DefineProperty(context_, global_, name, value, 0);
}

}  // namespace orrery::script
