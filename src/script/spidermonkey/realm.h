// A global object, ready for an execution: the built-ins scripts may use, and the prelude, which
// has been run but not yet started. It is used for one execution only, unless it is watched and the
// execution has left no trace in it.
//
// The prelude (prelude/*.js) is a function of `native`, an object with the functions of natives.h.
// It returns an object: start(execution) makes the context and its global names, call(main,
// parameters) applies the user's function to an array-like object, `current` is what start() has
// made, `silentConsole` what it replaces, hiddenObjects() what global names do not lead to, and
// forgetMatches() clears what regular expressions remember.

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
    // An empty one; create() makes those that can be used.
    explicit Realm(JSContext* context)
        : context_(context), global_(context), prelude_(context), start_(context), call_(context) {}

    // Null: an exception is pending. `neighbour` is an object whose zone it shares.
    static std::unique_ptr<Realm> create(JSContext* context,
                                         JSObject* neighbour,
                                         JS::Stencil* prelude);
    // A global object with nothing in it, to compile in.
    static JSObject* create_bare(JSContext* context, JSObject* neighbour);

    // Null: an exception is pending.
    static RefPtr<JS::Stencil> compile_prelude(JSContext* context);

    JSObject* global() const { return global_.get(); }
    bool start(JS::HandleValue execution, JS::MutableHandleValue messages);
    bool call(JS::HandleValue main, JS::HandleValue parameters);
    // The function that a compiled script is. The current realm must be this one.
    bool evaluate(JS::Stencil* script, JS::MutableHandleValue function);

    // Makes it possible to tell whether an execution has left it as it was. To be called again
    // after a full collection. The argument collects young objects.
    bool watch(const std::function<void()>& collect_young);
    // After an execution. kUnknown: there was a full collection.
    enum class Trace : std::uint8_t { kNone, kSome, kUnknown };
    Trace restore();

private:
    // A script that has been run in it, ready to run again.
    struct Instance {
        Instance(JSContext* context, RefPtr<JS::Stencil> compiled)
            : stencil(std::move(compiled)), script(context) {}
        RefPtr<JS::Stencil> stencil;  // held, so that no other one can get its address
        JS::PersistentRootedScript script;
    };

    bool forget_execution();
    bool call_prelude(const char* name);
    bool call_prelude(const char* name, JS::MutableHandleValue result);
    bool define_name(const char* name, JS::HandleValue value);
    bool instance_of(JS::Stencil* script, JS::MutableHandleScript out);

    JSContext* const context_;
    JS::PersistentRootedObject global_;
    JS::PersistentRootedObject prelude_;  // what it has returned
    JS::PersistentRootedValue start_;
    JS::PersistentRootedValue call_;
    std::unique_ptr<RealmState> state_;  // when it is watched
    std::unordered_map<JS::Stencil*, std::unique_ptr<Instance>> instances_;
};

}  // namespace orrery::script
