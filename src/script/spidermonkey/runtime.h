// A SpiderMonkey context with its limits, caches and prepared global objects.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mozilla/RefPtr.h>
#include <optional>
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

    static SpiderMonkeyRuntime& of(JSContext* context);

    // How many global objects scripts and UDFs have had so far.
    std::size_t realms_made() const { return realms_made_; }

    JSContext* context() const { return context_; }
    JobQueue& jobs() { return *jobs_; }
    // Errors as an Outcome's.
    Result<std::shared_ptr<CompiledScript>> compile(const Script& script);
    RunningScript* running() const { return running_; }
    std::chrono::milliseconds now() const { return environment_.clock.now(); }
    std::string new_id() { return ids_.next(); }

    // For one use. Null when memory ran out.
    std::unique_ptr<Realm> take_realm();
    // For an execution of the script, to be given back after it.
    std::unique_ptr<Realm> take_realm_for(const CompiledScript& script);
    void give_back(std::unique_ptr<Realm> realm, CompiledScript& script);

    // The error for a call into JavaScript that failed, whatever the reason.
    Error take_failure(Phase phase, std::string_view file);
    // Ends the script that is running with this error; the native function that calls it returns
    // false. The script cannot catch it.
    void stop(Error error);

    // As long as it lives, JavaScript is stopped when the time has come.
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
    bool may_go_on();
    bool may_use_its_memory();
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
    // A global object in which nothing runs: others share its zone, and scripts compile in it.
    JS::PersistentRootedObject home_;
    JS::PersistentRootedObject memory_information_;
    std::deque<std::unique_ptr<Realm>> prepared_;
    std::unique_ptr<Realm> watched_;  // used again and again, as long as scripts do not change it

    std::size_t realms_made_ = 0;

    RunningScript* running_ = nullptr;
    std::vector<Deadline*> deadlines_;
    std::optional<Watchdog::Guard> guard_;
    std::optional<Error> stopped_;
    std::chrono::milliseconds next_look_{0};  // at the memory
    int blind_looks_ = 0;                     // in a row, at memory that could not be seen
    bool exhausted_ = false;
};

}  // namespace orrery::script
