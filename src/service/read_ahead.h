// Reads the items of several partitions in parallel, each on its own thread, and returns them
// partition by partition. The amount read ahead is bounded. When the next item takes long, returns
// hidden places meanwhile.

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

// The most that is held for a cursor over so many partitions, apart from items longer than a chunk.
std::size_t read_ahead_bytes_max(std::size_t parts);

// The parts have items with numbers >= from only, each part higher ones than those before it. Pool
// threads must never wait on this cursor (deadlock). Everything that `parts` refers to must outlive
// the cursor.
std::unique_ptr<sql::ItemCursor> read_ahead(ThreadPool& readers,
                                            std::vector<OpenItems> parts,
                                            sql::ItemNumber from);

}  // namespace orrery::service
