// Reads the next page while the one before is written: the server and the network work during that
// time.

#pragma once

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "client/pages.h"

namespace orrery::tools {

class PagesAhead {
public:
    struct Fetched {
        Result<std::optional<client::Page>> page;
        std::string position;  // after it
    };
    // Called by another thread, but never twice at a time.
    using Fetch = std::function<Fetched()>;

    explicit PagesAhead(Fetch fetch) : fetch_(std::move(fetch)), coming_(start()) {}

    // Not after a failure or the end.
    Fetched next() {
        Fetched out = coming_.get();
        if (out.page && *out.page) coming_ = start();
        return out;
    }

private:
    // The future waits in its destructor.
    std::future<Fetched> start() { return std::async(std::launch::async, fetch_); }

    const Fetch fetch_;
    std::future<Fetched> coming_;
};

}  // namespace orrery::tools
