// Reads the next page while the one before is written: the server and the network work during that
// time.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "client/pages.h"

namespace orrery::tools {

class PagesAhead {
public:
    struct Fetched {
        Result<std::optional<client::Page>> page;
        std::string position;  // after it
    };
    // Called by another thread, until it fails or there are no more pages.
    using Fetch = std::function<Fetched()>;

    explicit PagesAhead(Fetch fetch);
    PagesAhead(const PagesAhead&) = delete;
    PagesAhead& operator=(const PagesAhead&) = delete;
    // Waits for the page that is being read.
    ~PagesAhead();

    // Not after a failure or the end.
    Fetched next();

private:
    void read();

    const Fetch fetch_;
    std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    std::optional<Fetched> ready_;
    bool stopped_ = false;
    // One for all pages: a new thread would begin with new memory.
    std::thread reader_;
};

}  // namespace orrery::tools
