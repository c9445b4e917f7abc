// A run as a whole: opens the container, loads items, measures, and cleans up.

#pragma once

#include <atomic>
#include <string>

#include "base/result.h"
#include "client/account.h"
#include "tools/bench/result.h"
#include "tools/target.h"

namespace orrery::tools::bench {

inline constexpr std::size_t kConnectionsMax = 1000;

struct BenchOptions {
    client::Account account;
    ContainerChoice target;
    Settings settings;
    std::string template_name;  // for errors
    bool cleanup = false;
    bool quiet = false;
};

// An error if it could not even begin. `interrupted` ends it with the results until then.
Result<BenchResult> run_bench(const BenchOptions& options, const std::atomic<bool>& interrupted);

}  // namespace orrery::tools::bench
