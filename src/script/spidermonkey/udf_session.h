// The UDFs of one query: their functions stay compiled and rooted in one global object, so that a
// call costs little more than converting its arguments.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <js/GCVector.h>
#include <js/RootingAPI.h>

#include "script/engine.h"
#include "script/spidermonkey/runtime.h"

namespace orrery::script {

class SpiderMonkeyUdfSession final : public UdfSession {
public:
    SpiderMonkeyUdfSession(SpiderMonkeyRuntime& runtime, std::chrono::milliseconds time_limit);
    SpiderMonkeyUdfSession(const SpiderMonkeyUdfSession&) = delete;
    SpiderMonkeyUdfSession& operator=(const SpiderMonkeyUdfSession&) = delete;
    ~SpiderMonkeyUdfSession() override = default;

    Result<std::size_t> add(const Script& udf) override;
    Result<UdfValue> call(std::size_t udf, std::span<const UdfValue> arguments) override;
    Result<std::optional<std::string_view>> call_json(
        std::size_t udf, std::span<const std::string_view> arguments) override;

private:
    struct Function {
        Function(JSContext* context, JS::HandleValue function, std::string name)
            : value(context, function), file(std::move(name)) {}

        JS::PersistentRootedValue value;
        std::string file;
    };

    bool convert(const UdfValue& argument, JS::MutableHandleValue out);
    Result<UdfValue> convert_result(JS::HandleValue result, const std::string& file);
    Error failure(const std::string& file);

    SpiderMonkeyRuntime& runtime_;
    JSContext* const context_;
    const SpiderMonkeyRuntime::Deadline deadline_;
    std::unique_ptr<Realm> realm_;
    std::vector<std::unique_ptr<Function>> functions_;
    JS::PersistentRootedVector<JS::Value>
        values_;  // arguments, kept so that a call does not allocate
    std::string result_;
};

}  // namespace orrery::script
