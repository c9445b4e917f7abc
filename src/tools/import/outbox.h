// Items on their way to the server: collected into batches of one partition key range, which the
// sending threads take when they are full, or when there is nothing more to wait for.

#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "model/limits.h"
#include "tools/import/item_builder.h"
#include "tools/import/window.h"

namespace orrery::tools {

// Of a batch's items. A request must be smaller than 2 MB with all that surrounds them.
inline constexpr std::size_t kBatchItemBytesMax = 1'500'000;
inline constexpr std::size_t kBatchItemsMax = model::limits::kBatchOperationsMax;

struct Outgoing {
    Window::Ticket ticket = 0;
    Item item;
    // It may have been created by an earlier attempt whose answer was lost.
    bool uncertain = false;
};

using Batch = std::vector<Outgoing>;

// Not limited by itself: the window limits what is under way.
class Outbox {
public:
    void add(const std::string& range, Outgoing item);
    // Lets batches go that are not full.
    void flush();
    // No more items come.
    void close();
    // Drops what has not been taken.
    void stop();

    // Waits for a batch; nothing after the last one.
    std::optional<Batch> take();

private:
    struct Open {
        Batch batch;
        std::size_t bytes = 0;
    };

    void release(Open& open);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::string, Open> open_;
    std::deque<Batch> ready_;
    bool closed_ = false;
};

}  // namespace orrery::tools
