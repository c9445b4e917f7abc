// Waiting for a result that another thread delivers through a callback.

#pragma once

#include <functional>
#include <future>
#include <memory>
#include <utility>

namespace orrery {

// Calls `start` with the callback and returns what the callback is given. The callback must be
// called once.
template <typename Result, typename Start>
Result wait_for(Start&& start) {
    // Shared, because the callback may still be using it when the result arrives here.
    const auto promise = std::make_shared<std::promise<Result>>();
    std::future<Result> result = promise->get_future();
    std::forward<Start>(start)(std::function<void(Result)>(
        [promise](Result value) { promise->set_value(std::move(value)); }));
    return result.get();
}

}  // namespace orrery
