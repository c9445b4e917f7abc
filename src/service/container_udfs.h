// The UDFs of one container, for one query or one script. Starts JavaScript on first use.

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
    // Use on the runtime's thread only; the arguments must outlive it.
    ContainerUdfs(script::Runtime& runtime,
                  const catalog::Container& container,
                  script::BlockList& blocked)
        : runtime_(runtime), container_(container), blocked_(blocked) {}

    sql::UdfCaller& caller();

    // Records how long a query that called them took; slow UDFs get blocked.
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
