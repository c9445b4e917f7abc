// Sends batches of items to the server, again where it asks for that, until each item has its
// outcome. One for each sending thread.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/progress.h"
#include "client/client.h"
#include "tools/import/import_options.h"
#include "tools/import/outbox.h"
#include "tools/import/routes.h"
#include "tools/import/window.h"

namespace orrery::tools {

// What all senders share.
struct Sending {
    const client::Path items;  // the feed
    const ImportMode mode;
    // The items of an earlier run, which was killed, may be there already.
    const bool resumed;
    // A conflict may also be with another item, of the same unique key.
    const bool has_unique_keys;
    Routes& routes;
    Window& window;
    cli::ProgressCounts& progress;
    std::atomic<std::uint64_t>& throttled;  // refusals for want of request units
    // Both end sending after the request that is under way.
    const std::atomic<bool>& interrupted;
    const std::atomic<bool>& stopped;

    bool ended() const { return interrupted || stopped; }
};

class Sender {
public:
    // Both must outlive this.
    Sender(client::Client& client, Sending& shared) : client_(client), shared_(shared) {}

    // Settles all items of the batch, unless sending is to end. An error if the import cannot go
    // on: the server cannot be reached, or refuses the container.
    Status send(Batch batch);

private:
    struct Answer {
        unsigned status = 0;
        std::uint32_t sub_status = 0;
        std::chrono::milliseconds retry_after{0};
        std::optional<std::string> reason = std::nullopt;  // if it is known
    };

    Status send_part(const std::string& range, Batch part);
    Status send_together(const std::string& range, Batch part);
    Status send_alone(Outgoing item);
    // Nothing if the items are to be sent again.
    Result<std::optional<client::Response>> request(client::Request request, Batch& part);
    Status judge_all(const client::Response& response, Batch part);
    Status judge(Outgoing item, const Answer& answer);
    Status judge_conflict(Outgoing item, const Answer& answer);
    // The item that the server has, if any.
    Result<std::optional<json::Value>> read(const Item& item);

    void settle(const Outgoing& item, Fate fate);
    void fail(Outgoing item, std::string reason);
    // Sends it again, after this time.
    void postpone(Outgoing item, std::chrono::milliseconds wait);
    void pause(std::chrono::milliseconds time) const;

    client::Client& client_;
    Sending& shared_;
    // Of the round that is under way.
    Batch left_;
    std::chrono::milliseconds wait_{0};
    bool moved_ = false;
    bool throttled_ = false;
    unsigned lost_answers_ = 0;  // in a row
};

}  // namespace orrery::tools
