// A global object, ready for one execution: the built-ins scripts may use, and the prelude, which
// has been run but not yet started.
//
// The prelude (prelude/*.js) is a function of `native`, an object with the functions of natives.h.
// It returns {start, call}: start(configuration) makes the context and its global names,
// call(main, parameters) applies the user's function to an array-like object.

#pragma once

#include <memory>
#include <mozilla/RefPtr.h>

#include <js/RootingAPI.h>
#include <js/experimental/JSStencil.h>
#include <jsapi.h>

namespace orrery::script {

class Realm {
public:
    // An empty one; create() makes those that can be used.
    explicit Realm(JSContext* context) : global_(context), start_(context), call_(context) {}

    // Null: an exception is pending. `neighbour` is an object whose zone it shares.
    static std::unique_ptr<Realm> create(JSContext* context,
                                         JSObject* neighbour,
                                         JS::Stencil* prelude);
    // A global object with nothing in it, to compile in.
    static JSObject* create_bare(JSContext* context, JSObject* neighbour);

    // Null: an exception is pending.
    static RefPtr<JS::Stencil> compile_prelude(JSContext* context);

    JSObject* global() const { return global_.get(); }
    bool start(JSContext* context, JS::HandleValue configuration);
    bool call(JSContext* context, JS::HandleValue main, JS::HandleValue parameters);

    // The function that a compiled script is. The current realm must be this one.
    static bool evaluate(JSContext* context, JS::Stencil* script, JS::MutableHandleValue function);

private:
    JS::PersistentRootedObject global_;
    JS::PersistentRootedValue start_;
    JS::PersistentRootedValue call_;
};

}  // namespace orrery::script
