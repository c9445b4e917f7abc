// Reads the items of several partitions at once, each on a thread of its own, and hands them over
// one partition behind the other. What has been read and not yet been taken is bounded.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "sql/source.h"

namespace orrery::service {

// Opens the items of one partition; called on the thread that reads them.
using OpenItems = std::function<std::unique_ptr<sql::ItemCursor>()>;

// The pool must have threads that nobody blocks while he waits for these items. All that `parts`
// refer to must outlive the cursor.
std::unique_ptr<sql::ItemCursor> read_ahead(ThreadPool& readers, std::vector<OpenItems> parts);

}  // namespace orrery::service
