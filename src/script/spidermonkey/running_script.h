// One execution of a stored procedure or trigger: its global object, its context and the pending
// callbacks. An operation runs as soon as the script requests it; only its callback is deferred
// until the requesting code has returned. So accepted operations always happen.

#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include <js/RootingAPI.h>
#include <jsapi.h>

#include "script/engine.h"
#include "script/spidermonkey/runtime.h"

namespace orrery::script {

// Evaluates the text at top level and returns its function. Enter the realm first.
Status load_function(SpiderMonkeyRuntime& runtime,
                     Realm& realm,
                     const Script& script,
                     const CompiledScript& compiled,
                     JS::MutableHandleValue function);

class RunningScript {
public:
    RunningScript(SpiderMonkeyRuntime& runtime, const Execution& execution, ScriptHost& host);

    Outcome run();

    // For the native functions.
    ScriptHost& host() { return host_; }
    const std::string& file() const { return file_; }
    bool accepts() const;
    // False if the script has been stopped.
    bool submit(const Operation& operation, JS::HandleObject completion);

private:
    struct Pending {
        Pending(JSContext* context, JS::HandleObject function, Result<Reply> result)
            : completion(context, function), reply(std::move(result)) {}

        JS::PersistentRootedObject completion;
        Result<Reply> reply;
        std::size_t bytes = 0;
        std::chrono::nanoseconds took{0};  // execution time of the operation
    };

    void run_in_realm(const CompiledScript& compiled, Outcome& outcome);
    Status run_all(const CompiledScript& compiled);
    Status run_main(const CompiledScript& compiled);
    Status run_callbacks();
    bool deliver(const Pending& pending);
    bool make_options(const Reply& reply, JS::MutableHandleValue out);
    bool parse_parameters(JS::MutableHandleValue out);
    bool describe(JS::MutableHandleValue out);
    Status read_results(Outcome& outcome);
    std::string read_log();
    bool message_property(const char* message,
                          const char* key,
                          const char* field,
                          JS::MutableHandleValue out);
    Error failure() { return runtime_.take_failure(Phase::kExecuting, file_); }

    SpiderMonkeyRuntime& runtime_;
    JSContext* const context_;
    const Execution& execution_;
    ScriptHost& host_;
    const std::string file_;
    const SpiderMonkeyRuntime::Deadline deadline_;
    const std::chrono::milliseconds accept_until_;
    std::unique_ptr<Realm> realm_;
    JS::PersistentRootedObject messages_;
    std::deque<std::unique_ptr<Pending>> pending_;
    std::size_t pending_bytes_ = 0;
    std::chrono::nanoseconds pending_time_{0};
};

}  // namespace orrery::script
