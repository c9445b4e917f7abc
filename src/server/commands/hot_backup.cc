#include "server/commands/hot_backup.h"

#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "client/client.h"

namespace orrery::server {

namespace {

using json::Value;

constexpr std::chrono::milliseconds kFirstPause{20};
constexpr std::chrono::milliseconds kPauseMax{1000};

const client::Path kBackups{"backups"};

Error unexpected() {
    return Error(ErrorCode::kInternal, "the server's answer does not describe a backup");
}

// Nothing while the backup is being made.
Result<std::optional<Value>> outcome_in(const Value& state,
                                        const std::function<void(std::uint64_t)>& progress) {
    const Value* running = state.find("running");
    if (running != nullptr && running->is_object()) {
        const Value* copied = running->find("bytesCopied");
        const auto bytes = copied != nullptr && copied->is_number() ? copied->integer() : 0;
        progress(static_cast<std::uint64_t>(bytes.value_or(0)));
        return std::optional<Value>();
    }
    const Value* last = state.find("last");
    if (last == nullptr || !last->is_object()) return unexpected();
    const Value* error = last->find("error");
    if (error != nullptr && error->is_string()) {
        return Error(ErrorCode::kUnavailable, "the backup has failed: " + error->string());
    }
    const Value* id = last->find("id");
    const Value* backups = state.find("backups");
    if (id == nullptr || backups == nullptr || !backups->is_array()) return unexpected();
    for (const Value& backup : backups->array()) {
        const Value* found = backup.find("id");
        if (found != nullptr && *found == *id) return std::optional(backup);
    }
    return unexpected();
}

}  // namespace

Result<json::Value> make_hot_backup(const client::Account& account,
                                    const HotBackup& wanted,
                                    const std::atomic<bool>& interrupted,
                                    const std::function<void(std::uint64_t)>& progress) {
    const SystemClock clock;
    client::Client client(account, clock, {}, &interrupted);
    Value body(Value::Object{});
    if (!wanted.directory.empty()) body.set("directory", wanted.directory);
    if (wanted.keep > 0) body.set("keep", Value(static_cast<std::int64_t>(wanted.keep)));
    TRY(client.call({.method = "POST", .path = kBackups, .headers = {}, .body = body.text()}));
    std::chrono::milliseconds pause = kFirstPause;
    for (;;) {
        std::optional<Value> made = TRY(outcome_in(TRY(client.read(kBackups)), progress));
        if (made) return *std::move(made);
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, kPauseMax);
    }
}

}  // namespace orrery::server
