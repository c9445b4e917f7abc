#include "script/spidermonkey/failure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <js/ErrorReport.h>
#include <js/Exception.h>
#include <js/PropertyAndElement.h>
#include <js/Stack.h>
#include <js/Value.h>
#include <jsapi.h>

#include "base/check.h"
#include "base/http_status.h"
#include "script/engine.h"
#include "script/spidermonkey/values.h"

namespace orrery::script {
namespace {

// Messages go into headers and logs; a script may throw megabytes.
constexpr std::size_t kTextUnitsMax = 16 * 1024;
constexpr std::size_t kFramesMax = 50;

// Errors and scalars as String() prints them, other objects as JSON. Runs code of the script
// (toString, toJSON), which may fail too.
std::string describe_value(JSContext* context, JS::HandleValue thrown) {
    std::string text;
    bool is_plain_object = false;
    if (thrown.isObject()) {
        JS::RootedObject object(context, &thrown.toObject());
        is_plain_object = JS_ErrorFromException(context, object) == nullptr;
    }
    if (is_plain_object) {
        std::optional<std::string> json;
        if (print_json(context, thrown, json) && json) {
            return json->substr(0, kTextUnitsMax);
        }
    } else if (append_text(context, thrown, kTextUnitsMax, text)) {
        return text;
    }
    JS_ClearPendingException(context);
    return "unknown";
}

// The number passed to Error(number, message), if it is a valid sub-status.
std::uint32_t number_of(JSContext* context, JS::HandleValue thrown) {
    if (!thrown.isObject()) return 0;
    JS::RootedObject object(context, &thrown.toObject());
    JS::RootedValue number(context);
    if (!JS_GetProperty(context, object, "number", &number)) {
        JS_ClearPendingException(context);
        return 0;
    }
    if (!number.isNumber()) return 0;
    const double value = number.toNumber();
    const bool fits = value >= 0 && value <= std::numeric_limits<std::uint32_t>::max() &&
                      std::floor(value) == value;
    return fits ? static_cast<std::uint32_t>(value) : 0;
}

// "name@file:line:column" → "   at name (file:line:column)". Empty for the prelude's own frames.
std::string service_frame(std::string_view line) {
    const std::size_t at = line.find('@');
    if (at == std::string_view::npos) return {};
    std::string_view name = line.substr(0, at);
    const std::string_view place = line.substr(at + 1);
    if (place.starts_with(std::string(kPreludeFile) + ":")) return {};
    // "promise callback*name" and the like: the caller is another frame.
    name = name.substr(name.rfind('*') + 1);
    // The top level of the script is "Global code", which is always appended.
    if (name.empty() && place.ends_with(":0:1")) return {};
    return "\n   at " + std::string(name.empty() ? "Anonymous function" : name) + " (" +
           std::string(place) + ")";
}

std::string service_trace(JSContext* context, JS::HandleObject stack, std::string_view file) {
    std::string lines;
    JS::RootedString text(context);
    if (stack &&
        JS::BuildStackString(context, nullptr, stack, &text, 0, js::StackFormat::SpiderMonkey)) {
        if (!append_utf8(context, text, lines)) lines.clear();
    }
    JS_ClearPendingException(context);
    std::string trace;
    std::string_view rest = lines;
    for (std::size_t i = 0; i < kFramesMax && !rest.empty(); ++i) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        trace += service_frame(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return trace + "\n   at __docDbMain (" + std::string(file) + ":1:1)\n   at Global code (" +
           std::string(file) + ":1:1)";
}

}  // namespace

Error take_exception(JSContext* context, Phase phase, std::string_view file) {
    JS::ExceptionStack exception(context);
    CHECK(JS::StealPendingExceptionStack(context, &exception));
    return describe_failure(context, exception.exception(), exception.stack(), phase, file);
}

Error describe_failure(JSContext* context,
                       JS::HandleValue thrown,
                       JS::HandleObject stack,
                       Phase phase,
                       std::string_view file) {
    const std::uint32_t number =
        phase == Phase::kCompiling ? kCompileErrorSubStatus : number_of(context, thrown);
    const std::string what = describe_value(context, thrown);
    std::string message = phase == Phase::kCompiling
                              ? "Encountered exception while compiling Javascript."
                              : "Encountered exception while executing function.";
    message += " Exception = " + what + "\r\nStack trace: " + what;
    message += service_trace(context, stack, file);
    return Error(ErrorCode::kBadRequest, std::move(message), number);
}

bool make_error_object(JSContext* context, const Error& error, JS::MutableHandleValue out) {
    JS::RootedValue message(context);
    JS::RootedString file(context, JS_GetEmptyString(context));
    JS::RootedObject no_stack(context);
    if (!set_string(context, error.message(), &message)) return false;
    JS::RootedString text(context, message.toString());
    if (!JS::CreateError(
            context, JSEXN_ERR, no_stack, file, 0, 0, nullptr, text, JS::NothingHandleValue, out)) {
        return false;
    }
    JS::RootedObject object(context, &out.toObject());
    JS::RootedValue number(context, JS::Int32Value(error_number(error.code())));
    return JS_DefineProperty(context, object, "number", number, JSPROP_ENUMERATE) &&
           JS_DefineProperty(context, object, "body", message, JSPROP_ENUMERATE);
}

int error_number(ErrorCode code) {
    // Scripts know fewer numbers than clients.
    if (code == ErrorCode::kNotImplemented) return 400;
    if (code == ErrorCode::kFenced) return 410;
    return static_cast<int>(http_status(code));
}

}  // namespace orrery::script
