// A global object ready for an execution: the built-ins available to scripts, and the prelude,
// which has been run but not started. It is used for one execution, unless it is watched and the
// execution left it unchanged.
//
// The prelude (prelude/*.js) is a function of `native`, an object with the functions of natives.h.
// It returns an object: start(execution) makes the context and its global names; call(main,
// parameters) applies the user's function to an array-like object; `current` is the state set by
// start(); `silentConsole` is the console that start() replaces; hiddenObjects() returns objects
// not reachable by global names; forgetMatches() clears the state of regular expressions.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mozilla/RefPtr.h>
#include <unordered_map>
#include <utility>

#include <js/RootingAPI.h>
#include <js/experimental/JSStencil.h>
#include <jsapi.h>

#include "script/spidermonkey/realm_state.h"

namespace orrery::script {

class Realm {
public:
    // Unusable by itself; use create().
    explicit Realm(JSContext* context)
        : context_(context), global_(context), prelude_(context), start_(context), call_(context) {}

    // Null if an exception is pending. The realm shares the zone of `neighbour`.
    static std::unique_ptr<Realm> create(JSContext* context,
                                         JSObject* neighbour,
                                         JS::Stencil* prelude);
    // An empty global object, to compile in.
    static JSObject* create_bare(JSContext* context, JSObject* neighbour);

    // Null if an exception is pending.
    static RefPtr<JS::Stencil> compile_prelude(JSContext* context);

    JSObject* global() const { return global_.get(); }
    bool start(JS::HandleValue execution, JS::MutableHandleValue messages);
    bool call(JS::HandleValue main, JS::HandleValue parameters);
    // Evaluates a compiled script to its function. This must be the current realm.
    bool evaluate(JS::Stencil* script, JS::MutableHandleValue function);

    // Records the state, to detect whether an execution has changed it. Call again after a full
    // garbage collection. The argument collects young objects.
    bool watch(const std::function<void()>& collect_young);
    // Call after an execution. kUnknown means that a full collection has run.
    enum class Trace : std::uint8_t { kNone, kSome, kUnknown };
    Trace restore();

private:
    // A script that has run here, ready to run again.
    struct Instance {
        Instance(JSContext* context, RefPtr<JS::Stencil> compiled)
            : stencil(std::move(compiled)), script(context) {}
        RefPtr<JS::Stencil> stencil;  // held, so that no other stencil can get its address
        JS::PersistentRootedScript script;
    };

    bool forget_execution();
    bool call_prelude(const char* name);
    bool call_prelude(const char* name, JS::MutableHandleValue result);
    bool define_name(const char* name, JS::HandleValue value);
    bool instance_of(JS::Stencil* script, JS::MutableHandleScript out);

    JSContext* const context_;
    JS::PersistentRootedObject global_;
    JS::PersistentRootedObject prelude_;  // its return value
    JS::PersistentRootedValue start_;
    JS::PersistentRootedValue call_;
    std::unique_ptr<RealmState> state_;  // set if watched
    std::unordered_map<JS::Stencil*, std::unique_ptr<Instance>> instances_;
};

}  // namespace orrery::script
