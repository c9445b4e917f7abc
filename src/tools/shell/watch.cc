#include "tools/shell/watch.h"

#include <thread>

#include "base/stopwatch.h"

namespace orrery::tools {

namespace {

// How long to wait after there was nothing new.
constexpr std::chrono::milliseconds kPause{250};
constexpr std::chrono::milliseconds kSlice{25};

void pause(const std::atomic<bool>& interrupted) {
    const auto until = monotonic_now() + kPause;
    while (!interrupted && monotonic_now() < until) {
        std::this_thread::sleep_for(kSlice);
    }
}

}  // namespace

Status watch(client::Client& client,
             const Container& container,
             const std::atomic<bool>& interrupted,
             const Watcher& watcher) {
    std::string position = "*";  // from now on
    bool started = false;
    while (!interrupted) {
        auto answer = client.call({.path = container.items(),
                                   .headers = {{"A-IM", "Incremental Feed"},
                                               {"x-ms-max-item-count", "-1"},
                                               {"If-None-Match", position}}});
        if (!answer && interrupted) return {};
        client::Response response = TRY(std::move(answer));
        const std::string etag = response.header("etag");
        if (etag.empty()) {
            return Error(ErrorCode::kInternal, "the server's answer has no position to go on from");
        }
        position = etag;
        if (!started) {
            watcher.started();
            TRY(watcher.written());
        }
        started = true;
        if (response.status == 304) {
            pause(interrupted);
            continue;
        }
        client::Page page;
        page.body = TRY(client::object_body(response));
        page.response = std::move(response);
        for (const std::string_view item : page.elements()) {
            watcher.change(item);
        }
        TRY(watcher.written());
    }
    return {};
}

}  // namespace orrery::tools
