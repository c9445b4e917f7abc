#include "script/spidermonkey/udf_session.h"

#include <js/CallAndConstruct.h>
#include <js/GCVector.h>
#include <js/ValueArray.h>

#include "base/check.h"
#include "json/number.h"
#include "json/text.h"
#include "script/spidermonkey/failure.h"
#include "script/spidermonkey/running_script.h"
#include "script/spidermonkey/values.h"

namespace orrery::script {
namespace {

class IgnoredJobs {
public:
    explicit IgnoredJobs(JobQueue& jobs) : jobs_(jobs) { jobs_.set_ignored(true); }
    IgnoredJobs(const IgnoredJobs&) = delete;
    IgnoredJobs& operator=(const IgnoredJobs&) = delete;
    ~IgnoredJobs() { jobs_.set_ignored(false); }

private:
    JobQueue& jobs_;
};

}  // namespace

SpiderMonkeyUdfSession::SpiderMonkeyUdfSession(SpiderMonkeyRuntime& runtime,
                                               std::chrono::milliseconds time_limit)
    : runtime_(runtime),
      context_(runtime.context()),
      deadline_(runtime, time_limit),
      realm_(runtime.take_realm()),
      values_(context_) {}

Result<std::size_t> SpiderMonkeyUdfSession::add(const Script& udf) {
    if (!realm_) return failure(file_name(udf));
    const std::shared_ptr<CompiledScript> compiled = TRY(runtime_.compile(udf));
    const JSAutoRealm entered(context_, realm_->global());
    const IgnoredJobs ignored(runtime_.jobs());
    JS::RootedValue function(context_);
    TRY(load_function(runtime_, *realm_, udf, *compiled, &function));
    functions_.push_back(std::make_unique<Function>(context_, function, file_name(udf)));
    return functions_.size() - 1;
}

Result<UdfValue> SpiderMonkeyUdfSession::call(std::size_t udf,
                                              std::span<const UdfValue> arguments) {
    CHECK(udf < functions_.size());
    const Function& function = *functions_[udf];
    const JSAutoRealm entered(context_, realm_->global());
    const IgnoredJobs ignored(runtime_.jobs());
    if (!values_.resize(arguments.size())) return failure(function.file);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (!convert(arguments[i], values_[i])) return failure(function.file);
    }
    JS::RootedValue result(context_);
    const auto passed = JS::HandleValueArray::fromMarkedLocation(values_.length(), values_.begin());
    if (!JS::Call(context_, JS::UndefinedHandleValue, function.value, passed, &result)) {
        return failure(function.file);
    }
    return convert_result(result, function.file);
}

bool SpiderMonkeyUdfSession::convert(const UdfValue& argument, JS::MutableHandleValue out) {
    switch (argument.kind()) {
        case UdfValue::Kind::kUndefined:
            out.setUndefined();
            return true;
        case UdfValue::Kind::kNull:
            out.setNull();
            return true;
        case UdfValue::Kind::kBoolean:
            out.setBoolean(argument.boolean());
            return true;
        case UdfValue::Kind::kNumber:
            // Non-canonical NaNs would be taken for pointers.
            out.setNumber(JS::CanonicalizeNaN(argument.number()));
            return true;
        case UdfValue::Kind::kString:
            return set_string(context_, argument.text(), out);
        case UdfValue::Kind::kJson:
            return parse_json(context_, argument.text(), out);
    }
    return false;
}

Result<UdfValue> SpiderMonkeyUdfSession::convert_result(JS::HandleValue result,
                                                        const std::string& file) {
    if (result.isUndefined()) return UdfValue::undefined();
    if (result.isNull()) return UdfValue::null();
    if (result.isBoolean()) return UdfValue::boolean(result.toBoolean());
    if (result.isNumber()) return UdfValue::number(result.toNumber());
    if (result.isString()) {
        JS::RootedString text(context_, result.toString());
        result_.clear();
        if (!append_utf8(context_, text, result_)) return failure(file);
        return UdfValue::string(result_);
    }
    std::optional<std::string> json;
    if (!print_json(context_, result, json)) return failure(file);
    if (!json) return UdfValue::undefined();
    result_ = std::move(*json);
    return UdfValue::json(result_);
}

Result<std::optional<std::string_view>> SpiderMonkeyUdfSession::call_json(
    std::size_t udf, std::span<const std::string_view> arguments) {
    std::vector<UdfValue> values;
    values.reserve(arguments.size());
    for (const std::string_view text : arguments) {
        values.push_back(UdfValue::json(text));
    }
    const UdfValue value = TRY(call(udf, values));
    switch (value.kind()) {
        case UdfValue::Kind::kUndefined:
            return std::optional<std::string_view>();
        case UdfValue::Kind::kNull:
            result_ = "null";
            break;
        case UdfValue::Kind::kBoolean:
            result_ = value.boolean() ? "true" : "false";
            break;
        case UdfValue::Kind::kNumber: {
            const json::Number number = json::Number(value.number()).normalized();
            result_.clear();
            // As in JSON.stringify: null if JSON cannot represent the number.
            if (number.is_finite()) json::append_number(result_, number);
            if (result_.empty()) result_ = "null";
            break;
        }
        case UdfValue::Kind::kString:
            result_ = json::quote(std::string(result_));
            break;
        case UdfValue::Kind::kJson:
            break;
    }
    return std::optional<std::string_view>(result_);
}

Error SpiderMonkeyUdfSession::failure(const std::string& file) {
    return runtime_.take_failure(Phase::kExecuting, file);
}

}  // namespace orrery::script
