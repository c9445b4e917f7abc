#include "script/spidermonkey/natives.h"

#include <optional>

#include <js/CallArgs.h>
#include <js/Conversions.h>
#include <js/Exception.h>
#include <js/PropertyAndElement.h>
#include <js/PropertySpec.h>
#include <js/Stack.h>
#include <jsapi.h>

#include "base/check.h"
#include "base/log.h"
#include "model/limits.h"
#include "script/spidermonkey/failure.h"
#include "script/spidermonkey/running_script.h"
#include "script/spidermonkey/runtime.h"
#include "script/spidermonkey/values.h"

namespace orrery::script {
namespace {

// The bits of submit's flags, as in prelude/collection.js.
constexpr std::int32_t kEnableScan = 1;
constexpr std::int32_t kEnableLowPrecisionOrderBy = 2;
constexpr std::int32_t kIndexInclude = 4;
constexpr std::int32_t kIndexExclude = 8;

RunningScript& running(JSContext* context) {
    RunningScript* script = SpiderMonkeyRuntime::of(context).running();
    CHECK(script != nullptr);
    return *script;
}

bool read_text(JSContext* context,
               const JS::CallArgs& arguments,
               unsigned index,
               std::string& out) {
    JS::RootedString text(context, JS::ToString(context, arguments.get(index)));
    return text && append_utf8(context, text, out);
}

bool read_operation(JSContext* context, const JS::CallArgs& arguments, Operation& operation) {
    std::int32_t kind = 0;
    std::int32_t flags = 0;
    if (!JS::ToInt32(context, arguments.get(0), &kind) ||
        !read_text(context, arguments, 1, operation.item) ||
        !read_text(context, arguments, 3, operation.text) ||
        !read_text(context, arguments, 4, operation.etag) ||
        !read_text(context, arguments, 5, operation.continuation) ||
        !JS::ToInt32(context, arguments.get(6), &operation.page_size) ||
        !JS::ToInt32(context, arguments.get(7), &flags)) {
        return false;
    }
    CHECK(kind >= 0 && kind <= static_cast<std::int32_t>(OperationKind::kAttachment));
    operation.kind = static_cast<OperationKind>(kind);
    operation.item_is_rid = JS::ToBoolean(arguments.get(2));
    operation.enable_scan = (flags & kEnableScan) != 0;
    operation.enable_low_precision_order_by = (flags & kEnableLowPrecisionOrderBy) != 0;
    if ((flags & kIndexInclude) != 0) operation.index_action = IndexAction::kInclude;
    if ((flags & kIndexExclude) != 0) operation.index_action = IndexAction::kExclude;
    return true;
}

bool submit(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    RunningScript& script = running(context);
    arguments.rval().setBoolean(false);
    if (!script.accepts()) return true;
    Operation operation;
    if (!read_operation(context, arguments, operation)) return false;
    JS::RootedObject completion(context, &arguments.get(8).toObject());
    if (!script.submit(operation, completion)) return false;
    arguments.rval().setBoolean(true);
    return true;
}

bool accepts(JSContext* context, unsigned count, JS::Value* values) {
    JS::CallArgsFromVp(count, values).rval().setBoolean(running(context).accepts());
    return true;
}

bool abort_script(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    JS::RootedValue reason(context, arguments.get(0));
    JS::RootedObject stack(context);
    if (!JS::CaptureCurrentStack(context, &stack)) return false;
    SpiderMonkeyRuntime& runtime = SpiderMonkeyRuntime::of(context);
    const std::string file = running(context).file();
    runtime.stop(describe_failure(context, reason, stack, Phase::kExecuting, file));
    return false;
}

bool new_id(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    return set_string(context, SpiderMonkeyRuntime::of(context).new_id(), arguments.rval());
}

bool partition_key_definition(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    return set_string(
        context, running(context).host().partition_key_definition(), arguments.rval());
}

std::optional<SpatialFunction> spatial_function(std::string_view name) {
    if (name == "distance") return SpatialFunction::kDistance;
    if (name == "intersects") return SpatialFunction::kIntersects;
    if (name == "within") return SpatialFunction::kWithin;
    if (name == "isValid") return SpatialFunction::kIsValid;
    if (name == "isValidDetailed") return SpatialFunction::kIsValidDetailed;
    return std::nullopt;
}

bool spatial(JSContext* context, unsigned count, JS::Value* values) {
    const JS::CallArgs arguments = JS::CallArgsFromVp(count, values);
    std::string name;
    std::string first;
    std::string second;
    if (!read_text(context, arguments, 0, name) || !read_text(context, arguments, 1, first) ||
        !read_text(context, arguments, 2, second)) {
        return false;
    }
    const auto function = spatial_function(name);
    CHECK(function.has_value());
    const Result<std::string> result =
        running(context).host().evaluate_spatial(*function, first, second);
    if (result) return set_string(context, *result, arguments.rval());
    JS::RootedValue error(context);
    if (make_error_object(context, result.error(), &error)) JS_SetPendingException(context, error);
    return false;
}

const JSFunctionSpec kFunctions[] = {
    JS_FN("submit", submit, 9, 0),
    JS_FN("accepts", accepts, 0, 0),
    JS_FN("abort", abort_script, 1, 0),
    JS_FN("newId", new_id, 0, 0),
    JS_FN("partitionKeyDefinition", partition_key_definition, 0, 0),
    JS_FN("spatial", spatial, 3, 0),
    JS_FS_END,
};

bool define_limit(JSContext* context,
                  JS::HandleObject object,
                  const char* name,
                  std::size_t limit) {
    return JS_DefineProperty(context, object, name, static_cast<double>(limit), JSPROP_ENUMERATE);
}

}  // namespace

bool make_natives(JSContext* context, JS::MutableHandleValue out) {
    JS::RootedObject object(context, JS_NewPlainObject(context));
    if (!object || !JS_DefineFunctions(context, object, kFunctions) ||
        !define_limit(context, object, "messageUnitsMax", model::limits::kScriptMessageUnitsMax) ||
        !define_limit(context, object, "logUnitsMax", model::limits::kScriptLogUnitsMax)) {
        return false;
    }
    out.setObject(*object);
    return true;
}

}  // namespace orrery::script
