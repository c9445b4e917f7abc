#include "tools/shell/watch.h"

#include <thread>

#include "base/stopwatch.h"
#include "client/changes.h"

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
    client::Changes changes(client, container.items());
    changes.resume("*");  // from now on
    bool started = false;
    while (!interrupted) {
        const auto page = changes.next();
        if (!page && interrupted) return {};
        if (!page) return page.error().copy();
        if (!started) {
            watcher.started();
            TRY(watcher.written());
        }
        started = true;
        if (!*page) {
            pause(interrupted);
            continue;
        }
        for (const std::string_view item : TRY((*page)->elements())) {
            watcher.change(item);
        }
        TRY(watcher.written());
    }
    return {};
}

}  // namespace orrery::tools
