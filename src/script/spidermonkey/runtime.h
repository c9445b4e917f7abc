// A SpiderMonkey context with its limits, caches and prepared global objects.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mozilla/RefPtr.h>
#include <optional>
#include <utility>
#include <vector>

#include <js/RootingAPI.h>
#include <jsapi.h>

#include "base/random.h"
#include "script/engine.h"
#include "script/spidermonkey/failure.h"
#include "script/spidermonkey/job_queue.h"
#include "script/spidermonkey/realm.h"
#include "script/spidermonkey/script_cache.h"

namespace orrery::script {

class RunningScript;

class SpiderMonkeyRuntime final : public Runtime {
public:
    SpiderMonkeyRuntime(const RuntimeEnvironment& environment, const RuntimeOptions& options);
    SpiderMonkeyRuntime(const SpiderMonkeyRuntime&) = delete;
    SpiderMonkeyRuntime& operator=(const SpiderMonkeyRuntime&) = delete;
    ~SpiderMonkeyRuntime() override;

    Outcome run(const Execution& execution, ScriptHost& host) override;
    std::unique_ptr<UdfSession> open_udfs(std::chrono::milliseconds time_limit) override;
    Status check(const Script& script) override;
    void prepare() override;
    void rest() override;
    bool is_exhausted() const override { return exhausted_; }
    RunCounts take_counts() override { return std::exchange(counts_, {}); }

    static SpiderMonkeyRuntime& of(JSContext* context);

    // How many global objects have been created for scripts and UDFs.
    std::size_t realms_made() const { return realms_made_; }

    JSContext* context() const { return context_; }
    JobQueue& jobs() { return *jobs_; }
    // Errors as in Outcome.
    Result<std::shared_ptr<CompiledScript>> compile(const Script& script);
    RunningScript* running() const { return running_; }
    std::chrono::milliseconds now() const { return environment_.clock.now(); }
    std::string new_id() { return ids_.next(); }

    // For a single use. Null if memory ran out.
    std::unique_ptr<Realm> take_realm();
    // For an execution of the script; return it with give_back().
    std::unique_ptr<Realm> take_realm_for(const CompiledScript& script);
    void give_back(std::unique_ptr<Realm> realm, CompiledScript& script);

    // The error for a failed call into JavaScript, whatever the reason.
    Error take_failure(Phase phase, std::string_view file);
    // Ends the running script with this error, which it cannot catch; the calling native function
    // must return false.
    void stop(Error error);

    // While it exists, JavaScript is stopped when the time limit expires.
    class Deadline {
    public:
        Deadline(SpiderMonkeyRuntime& runtime, std::chrono::milliseconds time_limit);
        Deadline(const Deadline&) = delete;
        Deadline& operator=(const Deadline&) = delete;
        ~Deadline();

    private:
        SpiderMonkeyRuntime& runtime_;
        std::chrono::milliseconds until_;
        friend class SpiderMonkeyRuntime;
    };

private:
    static bool interrupt(JSContext* context);
    bool may_continue();
    bool is_within_memory_after_gc();
    void collect();
    void collect_old_scripts();
    std::unique_ptr<Realm> create();
    std::unique_ptr<Realm> create_watched();
    bool watch(Realm& realm);
    void collect_young_objects();
    bool is_within_memory();
    void configure_context();

    const RuntimeEnvironment environment_;
    const RuntimeOptions options_;
    GuidSequence ids_;
    JSContext* context_ = nullptr;
    std::unique_ptr<JobQueue> jobs_;
    ScriptCache scripts_;
    RefPtr<JS::Stencil> prelude_;
    // A global object without user code: others share its zone, and scripts are compiled in it.
    JS::PersistentRootedObject home_;
    JS::PersistentRootedObject memory_information_;
    std::deque<std::unique_ptr<Realm>> prepared_;
    std::unique_ptr<Realm> watched_;  // reused as long as scripts do not change it

    std::size_t realms_made_ = 0;
    RunCounts counts_;

    RunningScript* running_ = nullptr;
    std::vector<Deadline*> deadlines_;
    std::optional<Watchdog::Guard> guard_;
    std::optional<Error> stopped_;
    std::chrono::milliseconds next_measurement_{0};  // when to measure memory again
    int failed_measurements_ = 0;                    // consecutive failures to measure memory
    bool exhausted_ = false;
};

}  // namespace orrery::script
