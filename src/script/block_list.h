// Scripts that have used too much too often are not run any more, until they are replaced. The
// service blocks a stored procedure after six executions beyond its charge (azure-cosmos-dotnet-v3,
// EmulatorTests), a UDF after the first.

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
    std::chrono::milliseconds charge_max;  // an execution that takes longer is a strike
    std::size_t strikes_max;
    std::string_view limit_name;  // as the service's message calls it
};

inline constexpr BlockRule kProcedureRule{std::chrono::milliseconds(2000), 6, "resource"};
// The service's knob for UDFs is 0.1 s, of a unit of work that is not known; this is for one page.
inline constexpr BlockRule kUdfRule{std::chrono::milliseconds(2000), 1, "resources"};

// May be used from any thread. Forgets the script that has been good for longest when it is full.
class BlockList {
public:
    explicit BlockList(const BlockRule& rule) : rule_(rule) {}

    // kForbidden when the script is blocked. The key names one version of a script, such as its rid
    // and etag, so a replaced one starts anew.
    Status check(const std::string& key, std::string_view id) const;

    // Tells of an execution that has ended. UDFs that no item was given to are not to be blamed.
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
