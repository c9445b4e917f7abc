// The UDFs of one container, for one query or one script. JavaScript is started when the first one
// is needed.

#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "script/block_list.h"
#include "script/engine.h"
#include "service/udf_calls.h"

namespace orrery::service {

class ContainerUdfs {
public:
    // Belongs to the runtime's thread; all three must outlive it.
    ContainerUdfs(script::Runtime& runtime,
                  const catalog::Container& container,
                  script::BlockList& blocked)
        : runtime_(runtime), container_(container), blocked_(blocked) {}

    sql::UdfCaller& caller();

    // How long the query took that has called them: one that takes too long is blocked.
    void record(std::chrono::milliseconds took);

private:
    Result<const script::Script*> find(std::string_view name);

    script::Runtime& runtime_;
    const catalog::Container& container_;
    script::BlockList& blocked_;
    std::unique_ptr<script::UdfSession> session_;
    std::optional<UdfCalls> calls_;
    std::vector<std::string> used_;
};

}  // namespace orrery::service
