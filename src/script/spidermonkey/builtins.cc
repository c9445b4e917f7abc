#include "script/spidermonkey/builtins.h"

#include <js/CallAndConstruct.h>
#include <js/CallArgs.h>
#include <js/Class.h>
#include <js/Object.h>
#include <js/PropertyAndElement.h>
#include <js/PropertyDescriptor.h>
#include <js/ValueArray.h>
#include <jsapi.h>
#include <jsfriendapi.h>

#include "script/spidermonkey/guards.h"

namespace orrery::script {
namespace {

// Where Error keeps the engine's own constructor.
constexpr std::size_t kOriginalSlot = 0;

// Error(number, message) comes from JScript; every other form is standard. A native function does
// not appear in stack traces.
bool construct_error(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    JS::RootedObject callee(context, &arguments.callee());
    JS::RootedValue original(context, js::GetFunctionNativeReserved(callee, kOriginalSlot));
    JS::RootedObject new_target(
        context, arguments.isConstructing() ? &arguments.newTarget().toObject() : callee.get());

    const bool has_number = arguments.length() >= 2 && arguments[0].isNumber();
    JS::RootedObject error(context);
    if (has_number) {
        JS::RootedValue message(context, arguments[1]);
        if (!JS::Construct(context, original, new_target, JS::HandleValueArray(message), &error)) {
            return false;
        }
        JS::RootedValue number(context, arguments[0]);
        if (!JS_DefineProperty(context, error, "number", number, JSPROP_ENUMERATE)) return false;
    } else if (!JS::Construct(context, original, new_target, arguments, &error)) {
        return false;
    }
    arguments.rval().setObject(*error);
    return true;
}

bool install_error(JSContext* context, JS::HandleObject global) {
    JS::RootedValue original(context);
    if (!JS_GetProperty(context, global, "Error", &original)) return false;
    JS::RootedObject native(context, &original.toObject());
    JSFunction* function =
        js::NewFunctionWithReserved(context, construct_error, 1, JSFUN_CONSTRUCTOR, "Error");
    if (function == nullptr) return false;
    JS::RootedObject error(context, JS_GetFunctionObject(function));
    js::SetFunctionNativeReserved(error, kOriginalSlot, original);

    JS::RootedValue prototype(context);
    JS::RootedValue replacement(context, JS::ObjectValue(*error));
    if (!JS_GetProperty(context, native, "prototype", &prototype)) return false;
    JS::RootedObject prototype_object(context, &prototype.toObject());
    return JS_DefineProperty(
               context, error, "prototype", prototype, JSPROP_PERMANENT | JSPROP_READONLY) &&
           JS_DefineProperty(context, prototype_object, "constructor", replacement, 0) &&
           JS_DefineProperty(context, global, "Error", replacement, 0);
}

}  // namespace

bool install_builtins(JSContext* context, JS::HandleObject global) {
    return install_error(context, global) && install_guards(context, global);
}

}  // namespace orrery::script
