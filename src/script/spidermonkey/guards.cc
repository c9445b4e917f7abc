#include "script/spidermonkey/guards.h"

#include <cstdint>

#include <js/Array.h>
#include <js/CallAndConstruct.h>
#include <js/CallArgs.h>
#include <js/Conversions.h>
#include <js/Exception.h>
#include <js/PropertyAndElement.h>
#include <js/String.h>
#include <js/Symbol.h>
#include <js/ValueArray.h>
#include <jsapi.h>
#include <jsfriendapi.h>

namespace orrery::script {
namespace {

constexpr std::size_t kGuardedSlot = 0;
constexpr std::size_t kSymbolSlot = 1;

// Worst-case number of character comparisons: about 0.2 s.
constexpr std::uint64_t kWorkMax = std::uint64_t{1} << 34;
// About 1 s each.
constexpr std::size_t kParseUnitsMax = std::size_t{1} << 25;
constexpr std::size_t kTransformUnitsMax = std::size_t{1} << 24;
constexpr std::int32_t kNoSymbol = -1;

bool refuse(JSContext* context) {
    JS_ReportErrorASCII(context, "this call would take too much work");
    return false;
}

bool call_original(JSContext* context,
                   const JS::CallArgs& arguments,
                   JS::HandleValue self,
                   const JS::HandleValueArray& values) {
    JS::RootedValue original(context,
                             js::GetFunctionNativeReserved(&arguments.callee(), kGuardedSlot));
    return JS::Call(context, self, original, values, arguments.rval());
}

// Whether a pattern object implements its own search, as regular expressions do.
bool has_own_search(JSContext* context, JS::HandleValue pattern, std::int32_t symbol, bool& has) {
    has = false;
    if (!pattern.isObject() || symbol == kNoSymbol) return true;
    JS::RootedObject object(context, &pattern.toObject());
    JS::RootedId id(context,
                    JS::GetWellKnownSymbolKey(context, static_cast<JS::SymbolCode>(symbol)));
    JS::RootedValue method(context);
    if (!JS_GetPropertyById(context, object, id, &method)) return false;
    has = !method.isNullOrUndefined();
    return true;
}

// indexOf, lastIndexOf, includes, split, replace and replaceAll of strings.
bool guarded_string_search(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    JS::RootedValue self(context, arguments.thisv());
    bool has = false;
    const std::int32_t symbol =
        js::GetFunctionNativeReserved(&arguments.callee(), kSymbolSlot).toInt32();
    if (!has_own_search(context, arguments.get(0), symbol, has)) return false;
    if (has || arguments.length() == 0 || arguments[0].isUndefined() || self.isNullOrUndefined()) {
        return call_original(context, arguments, self, arguments);
    }
    JS::RootedString text(context, JS::ToString(context, self));
    if (!text) return false;
    JS::RootedString pattern(context, JS::ToString(context, arguments[0]));
    if (!pattern) return false;
    if (std::uint64_t{JS_GetStringLength(text)} * JS_GetStringLength(pattern) > kWorkMax) {
        return refuse(context);
    }
    self.setString(text);
    arguments[0].setString(pattern);
    return call_original(context, arguments, self, arguments);
}

// indexOf, lastIndexOf and includes of arrays.
bool guarded_array_search(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    JS::RootedValue self(context, arguments.thisv());
    if (arguments.length() > 0 && arguments[0].isString() && self.isObject()) {
        JS::RootedObject object(context, &self.toObject());
        JS::RootedValue length(context);
        double elements = 0;
        if (!JS_GetProperty(context, object, "length", &length) ||
            !JS::ToNumber(context, length, &elements)) {
            return false;
        }
        const auto work =
            elements * static_cast<double>(JS_GetStringLength(arguments[0].toString()));
        // For a short string the cost is visiting the elements, which can be interrupted.
        if (work > static_cast<double>(kWorkMax) &&
            JS_GetStringLength(arguments[0].toString()) > 1024) {
            return refuse(context);
        }
    }
    return call_original(context, arguments, self, arguments);
}

// String functions that visit every character: case conversion and normalization.
bool guarded_transform(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    JS::RootedValue self(context, arguments.thisv());
    if (!self.isNullOrUndefined()) {
        JS::RootedString text(context, JS::ToString(context, self));
        if (!text) return false;
        if (JS_GetStringLength(text) > kTransformUnitsMax) return refuse(context);
        self.setString(text);
    }
    return call_original(context, arguments, self, arguments);
}

bool guarded_parse(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    JS::RootedValue self(context, arguments.thisv());
    if (arguments.length() > 0) {
        JS::RootedString text(context, JS::ToString(context, arguments[0]));
        if (!text) return false;
        if (JS_GetStringLength(text) > kParseUnitsMax) return refuse(context);
        arguments[0].setString(text);
    }
    return call_original(context, arguments, self, arguments);
}

struct Guarded {
    const char* name;
    std::int32_t symbol;  // the method by which a pattern implements its own search
};

bool install(JSContext* context,
             JS::HandleObject prototype,
             const Guarded& guarded,
             JSNative native) {
    JS::RootedValue original(context);
    JS::RootedValue parameters(context);
    if (!JS_GetProperty(context, prototype, guarded.name, &original)) return false;
    JS::RootedObject original_object(context, &original.toObject());
    if (!JS_GetProperty(context, original_object, "length", &parameters)) return false;
    JSFunction* function = js::NewFunctionWithReserved(
        context, native, static_cast<unsigned>(parameters.toInt32()), 0, guarded.name);
    if (function == nullptr) return false;
    JS::RootedObject object(context, JS_GetFunctionObject(function));
    js::SetFunctionNativeReserved(object, kGuardedSlot, original);
    js::SetFunctionNativeReserved(object, kSymbolSlot, JS::Int32Value(guarded.symbol));
    return JS_DefineProperty(context, prototype, guarded.name, object, 0);
}

template <std::size_t count>
bool install_all(JSContext* context,
                 JS::HandleObject prototype,
                 const Guarded (&all)[count],
                 JSNative native) {
    for (const Guarded& guarded : all) {
        if (!install(context, prototype, guarded, native)) return false;
    }
    return true;
}

}  // namespace

bool install_guards(JSContext* context, JS::HandleObject global) {
    static constexpr auto kSplit = static_cast<std::int32_t>(JS::SymbolCode::split);
    static constexpr auto kReplace = static_cast<std::int32_t>(JS::SymbolCode::replace);
    static constexpr Guarded kStringFunctions[] = {{"indexOf", kNoSymbol},
                                                   {"lastIndexOf", kNoSymbol},
                                                   {"includes", kNoSymbol},
                                                   {"split", kSplit},
                                                   {"replace", kReplace},
                                                   {"replaceAll", kReplace}};
    static constexpr Guarded kTransforms[] = {{"normalize", kNoSymbol},
                                              {"toUpperCase", kNoSymbol},
                                              {"toLowerCase", kNoSymbol},
                                              {"toLocaleUpperCase", kNoSymbol},
                                              {"toLocaleLowerCase", kNoSymbol}};
    static constexpr Guarded kArrayFunctions[] = {
        {"indexOf", kNoSymbol}, {"lastIndexOf", kNoSymbol}, {"includes", kNoSymbol}};

    JS::RootedValue string(context);
    JS::RootedValue prototype(context);
    JS::RootedValue json(context);
    if (!JS_GetProperty(context, global, "String", &string) ||
        !JS_GetProperty(context, global, "JSON", &json)) {
        return false;
    }
    JS::RootedObject json_object(context, &json.toObject());
    JS::RootedObject constructor(context, &string.toObject());
    if (!JS_GetProperty(context, constructor, "prototype", &prototype)) return false;
    JS::RootedObject strings(context, &prototype.toObject());
    JS::RootedObject arrays(context, JS::GetRealmArrayPrototype(context));
    return arrays && install(context, json_object, {"parse", kNoSymbol}, guarded_parse) &&
           install_all(context, strings, kStringFunctions, guarded_string_search) &&
           install_all(context, strings, kTransforms, guarded_transform) &&
           install_all(context, arrays, kArrayFunctions, guarded_array_search);
}

}  // namespace orrery::script
