// Blocks scripts that used too much too often, until they are replaced. The service blocks a stored
// procedure after six executions that exceed its charge (azure-cosmos-dotnet-v3, EmulatorTests), a
// UDF after the first.

#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"

namespace orrery::script {

struct BlockRule {
    std::chrono::milliseconds charge_max;  // a longer execution is a strike
    std::size_t strikes_max;
    std::string_view limit_name;  // as in the service's message
};

inline constexpr BlockRule kProcedureRule{std::chrono::milliseconds(2000), 6, "resource"};
// The service's setting for UDFs is 0.1 s per unknown unit of work; this is per page.
inline constexpr BlockRule kUdfRule{std::chrono::milliseconds(2000), 1, "resources"};

// Thread-safe. When full, evicts the script whose last strike is oldest.
class BlockList {
public:
    explicit BlockList(const BlockRule& rule) : rule_(rule) {}

    // kForbidden if the script is blocked. The key identifies one version of a script, such as its
    // rid and etag, so a replaced script starts over.
    Status check(const std::string& key, std::string_view id) const;

    // Records a finished execution. Do not record UDFs that were not called on any item.
    void record(const std::string& key, std::chrono::milliseconds took);

private:
    static constexpr std::size_t kScriptsMax = 4096;

    struct Entry {
        std::string key;
        std::size_t strikes = 0;
    };

    const BlockRule rule_;
    mutable std::mutex mutex_;
    std::list<Entry> entries_;  // the latest strike first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
};

}  // namespace orrery::script
