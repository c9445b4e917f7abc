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

// Standard classes are made when they are first named, which is why a new global object is cheap.
const JSClass kGlobalClass = {
    "global", JSCLASS_GLOBAL_FLAGS, &JS::DefaultGlobalClassOps, nullptr, nullptr, nullptr};

bool run_prelude(JSContext* context,
                 JS::Stencil* prelude,
                 JS::MutableHandleValue start,
                 JS::MutableHandleValue call) {
    JS::RootedValue function(context);
    JS::RootedValue native(context);
    JS::RootedValue entries(context);
    if (!Realm::evaluate(context, prelude, &function) || !make_natives(context, &native) ||
        !JS::Call(
            context, JS::UndefinedHandleValue, function, JS::HandleValueArray(native), &entries)) {
        return false;
    }
    JS::RootedObject object(context, &entries.toObject());
    return JS_GetProperty(context, object, "start", start) &&
           JS_GetProperty(context, object, "call", call);
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
    if (!install_builtins(context, realm->global_) ||
        !run_prelude(context, prelude, &realm->start_, &realm->call_)) {
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

bool Realm::start(JSContext* context, JS::HandleValue configuration) {
    JS::RootedValue ignored(context);
    return JS::Call(
        context, JS::UndefinedHandleValue, start_, JS::HandleValueArray(configuration), &ignored);
}

bool Realm::call(JSContext* context, JS::HandleValue main, JS::HandleValue parameters) {
    JS::RootedValueArray<2> arguments(context);
    arguments[0].set(main);
    arguments[1].set(parameters);
    JS::RootedValue ignored(context);
    return JS::Call(context, JS::UndefinedHandleValue, call_, arguments, &ignored);
}

bool Realm::evaluate(JSContext* context, JS::Stencil* script, JS::MutableHandleValue function) {
    const JS::InstantiateOptions options;
    JS::RootedScript instance(context, JS::InstantiateGlobalStencil(context, options, script));
    return instance && JS_ExecuteScript(context, instance, function);
}

}  // namespace orrery::script
