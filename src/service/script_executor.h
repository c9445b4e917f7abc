// Runs scripts on items: stored procedures, and writes with triggers. Each run is one transaction,
// committed if the script succeeds and retried on conflict.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "script/block_list.h"
#include "script/engine.h"
#include "script/pool.h"
#include "service/context.h"
#include "service/script_transaction.h"
#include "sql/udf.h"

namespace orrery::service {

struct ProcedureAnswer {
    // The response body as JSON, or an error: then nothing was written.
    Result<std::optional<std::string>> body;
    std::string log;  // console.log output, also of a failed script
};

// A script and the key under which it is blocked, which changes with every version.
struct StoredScript {
    std::shared_ptr<const script::Script> script;
    std::string version;
};

StoredScript stored_script(const catalog::ScriptPtr& script);

// A write and its triggers.
struct TriggeredWrite {
    enum class Kind : std::uint8_t { kCreate, kUpsert, kReplace, kRemove };
    Kind kind = Kind::kCreate;
    ItemAddress address;  // for replace and remove
    std::string body;     // of the request
    std::optional<StoredScript> before;
    std::optional<StoredScript> after;
};

struct TriggeredAnswer {
    Result<ItemAnswer> item;
    // A response body set by a trigger, as JSON.
    std::optional<std::string> body;
};

class ScriptExecutor {
public:
    struct BlockLists {
        script::BlockList& procedures;  // and triggers
        script::BlockList& udfs;
    };
    ScriptExecutor(script::ScriptPool& pool,
                   const BlockLists& blocked,
                   const ScriptTransaction::Services& services)
        : pool_(pool), blocked_(blocked), services_(services) {}

    // execute() and write() call `done` on a pool thread, or immediately on failure. The context
    // and what its request points to must live until then.
    void execute(Context& context,
                 const FoundContainer& found,
                 const StoredScript& procedure,
                 std::string arguments,
                 bool logging,
                 const std::function<void(ProcedureAnswer)>& done);
    // Runs a query that may call the container's UDFs on a pool thread, then calls `done`, by which
    // time slow UDFs have been recorded. kThrottled if too many tasks wait for a thread.
    Status with_udfs(const catalog::ContainerPtr& container,
                     std::function<void(sql::UdfCaller&)> query,
                     std::function<void()> done);

    void write(Context& context,
               const FoundContainer& found,
               TriggeredWrite write,
               const std::function<void(TriggeredAnswer)>& done);

private:
    ProcedureAnswer run_procedure(script::Runtime& runtime,
                                  Context& context,
                                  const FoundContainer& found,
                                  const StoredScript& procedure,
                                  script::Execution& execution);
    TriggeredAnswer run_write(script::Runtime& runtime,
                              Context& context,
                              const FoundContainer& found,
                              const TriggeredWrite& write);
    Status show_item(const Context& context,
                     const catalog::Container& container,
                     const TriggeredWrite& write,
                     ScriptTransaction& transaction,
                     std::string& body) const;
    Result<TriggeredAnswer> try_write(script::Runtime& runtime,
                                      const Context& context,
                                      const catalog::Container& container,
                                      const TriggeredWrite& write,
                                      ScriptTransaction& transaction);
    Result<StagedOperation> stage(const Context& context,
                                  const catalog::Container& container,
                                  const TriggeredWrite& write,
                                  std::string_view body) const;
    script::Outcome run_script(script::Runtime& runtime,
                               const StoredScript& script,
                               const script::Execution& execution,
                               ScriptTransaction& transaction);

    script::ScriptPool& pool_;
    const BlockLists blocked_;
    const ScriptTransaction::Services services_;
};

}  // namespace orrery::service
