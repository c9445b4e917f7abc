// The changes of a container as they happen.

#pragma once

#include "base/result.h"
#include "client/client.h"
#include "tools/shell/queries.h"
#include "tools/shell/session.h"

namespace orrery::tools {

// Follows the change feed from now on, until `interrupted`: the newest version of each item that
// is created or replaced.
struct Watcher {
    std::function<void()> started;  // changes from here on will be seen
    ResultSink change;
    std::function<Status()> written;  // after each of these
};
Status watch(client::Client& client,
             const Container& container,
             const std::atomic<bool>& interrupted,
             const Watcher& watcher);

}  // namespace orrery::tools
