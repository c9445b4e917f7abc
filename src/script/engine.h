// The interface to the JavaScript engine. A Runtime is one JavaScript heap on one thread: it runs
// stored procedures and triggers, isolated from each other, and opens UDFs for queries. It names no
// engine; spidermonkey/ implements it.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "model/limits.h"
#include "model/script.h"
#include "script/host.h"
#include "script/watchdog.h"

namespace orrery::script {

// A stored script: its id names it in stack traces; its body should be a function expression, but
// has not been checked.
using Script = model::ScriptDefinition;

enum class ScriptKind : std::uint8_t { kStoredProcedure, kPreTrigger, kPostTrigger };

struct Execution {
    ScriptKind kind = ScriptKind::kStoredProcedure;
    std::shared_ptr<const Script> script;
    // Wall-clock time from the start of the run; capped at the limit.
    std::chrono::milliseconds time_limit{model::limits::kScriptMillisecondsMax};

    // Stored procedures: the request body (an array-like object, or empty), and whether console.log
    // is on.
    std::string arguments;
    bool logging = false;

    // Triggers: "Create", "Replace", "Upsert" or "Delete", and the item being written or deleted as
    // JSON. Post-triggers: the response to the client, as JSON.
    std::string operation_type;
    std::string request_body;
    std::string response_body;
};

struct Outcome {
    // Any error means rollback. A script that throws is kBadRequest with the thrown error's number
    // as sub-status; one that does not compile kBadRequest/65535; kTimeout means the time limit.
    Status status;
    // Stored procedures and post-triggers: the response body as JSON; nullopt if it is undefined.
    // `body_was_set` distinguishes "" from never set. Pre-triggers: the item to write, as unchecked
    // JSON.
    std::optional<std::string> body;
    bool body_was_set = false;
    // The console.log output as plain text, also of a failed script.
    std::string log;
    std::chrono::milliseconds took{0};
};

// The sub-status of a script that does not compile.
inline constexpr std::uint32_t kCompileErrorSubStatus = 65535;

// An argument or result of a UDF. Strings are UTF-8; arrays and objects are JSON text (arguments
// may be any JSON, including scalars).
class UdfValue {
public:
    enum class Kind : std::uint8_t { kUndefined, kNull, kBoolean, kNumber, kString, kJson };

    static UdfValue undefined() { return UdfValue(Kind::kUndefined); }
    static UdfValue null() { return UdfValue(Kind::kNull); }
    static UdfValue boolean(bool value) { return UdfValue(Kind::kBoolean, value ? 1 : 0); }
    static UdfValue number(double value) { return UdfValue(Kind::kNumber, value); }
    // The text must live until the call has returned.
    static UdfValue string(std::string_view utf8) { return UdfValue(Kind::kString, 0, utf8); }
    static UdfValue json(std::string_view text) { return UdfValue(Kind::kJson, 0, text); }

    Kind kind() const { return kind_; }
    bool boolean() const { return number_ != 0; }
    double number() const { return number_; }
    std::string_view text() const { return text_; }

private:
    explicit UdfValue(Kind kind, double number = 0, std::string_view text = {})
        : text_(text), number_(number), kind_(kind) {}

    std::string_view text_;
    double number_;
    Kind kind_;
};

// The UDFs of one query, in their own global object. A call costs about a microsecond plus the
// function itself. Close before its Runtime, on the same thread; may be open while a script of the
// same runtime runs an operation (a script's query may call UDFs).
class UdfSession {
public:
    UdfSession() = default;
    UdfSession(const UdfSession&) = delete;
    UdfSession& operator=(const UdfSession&) = delete;
    virtual ~UdfSession() = default;

    // Returns the number for call(). Errors as in Outcome.
    virtual Result<std::size_t> add(const Script& udf) = 0;

    // The result's text lives until the next call. An exception is kBadRequest with its number as
    // sub-status; exceeding the time limit is kTimeout.
    virtual Result<UdfValue> call(std::size_t udf, std::span<const UdfValue> arguments) = 0;
    // Arguments and result as JSON text; nullopt means undefined.
    virtual Result<std::optional<std::string_view>> call_json(
        std::size_t udf, std::span<const std::string_view> arguments) = 0;
};

// What a runtime has been used for.
struct RunCounts {
    std::uint64_t runs = 0;  // of procedures and triggers
    std::uint64_t udf_sessions = 0;
    std::uint64_t timeouts = 0;  // of either

    RunCounts& operator+=(const RunCounts& more) {
        runs += more.runs;
        udf_sessions += more.udf_sessions;
        timeouts += more.timeouts;
        return *this;
    }
};

// Not thread-safe: create, use and destroy it on one thread, which needs kScriptStackBytes of stack
// and can have only one at a time.
class Runtime {
public:
    Runtime() = default;
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;
    virtual ~Runtime() = default;

    // Runs the main function, callbacks and promises to the end.
    virtual Outcome run(const Execution& execution, ScriptHost& host) = 0;

    // The time limit covers everything until the session is closed.
    virtual std::unique_ptr<UdfSession> open_udfs(std::chrono::milliseconds time_limit) = 0;

    // Whether the text is a function. The service stores scripts unchecked; this is for tools.
    virtual Status check(const Script& script) = 0;

    // Makes the next run cheap; call when idle. `rest` also frees memory.
    virtual void prepare() = 0;
    virtual void rest() = 0;

    // Memory ran out during use. It still works, but should be replaced soon.
    virtual bool is_exhausted() const = 0;

    // Since the last call.
    virtual RunCounts take_counts() = 0;
};

inline constexpr std::size_t kScriptStackBytes = 8 * 1024 * 1024;

struct RuntimeOptions {
    std::size_t heap_bytes_max = model::limits::kScriptHeapBytesMax;
    std::size_t cache_bytes_max = model::limits::kScriptCacheBytesMax;
};

// Shared by all runtimes of a server, which it must outlive.
struct RuntimeEnvironment {
    const Clock& clock;
    Random& random;
    Watchdog& watchdog;
};

std::unique_ptr<Runtime> make_runtime(const RuntimeEnvironment& environment,
                                      const RuntimeOptions& options = {});

}  // namespace orrery::script
