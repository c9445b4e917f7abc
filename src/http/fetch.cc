#include "http/fetch.h"

#include <array>

namespace orrery::http {

namespace {

Error fetch_failed(const std::string& what) { return Error(ErrorCode::kUnavailable, what); }

constexpr std::array<ClientHeader, 1> kHeaders{{{"Accept", "application/json"}}};

}  // namespace

Result<std::string> Fetcher::get() {
    ClientConnection connection(url_,
                                {.tls = {.ca_file = options_.ca_file},
                                 .plain_text_only_on_loopback = true,
                                 .timeout = options_.timeout,
                                 .body_bytes_max = options_.body_bytes_max});
    {
        const std::lock_guard lock(mutex_);
        if (stopped_) return fetch_failed("stopped");
        running_ = &connection;
    }
    auto answer =
        connection.send({.target = url_.target, .headers = kHeaders, .body = {}, .last = true});
    {
        const std::lock_guard lock(mutex_);
        running_ = nullptr;
    }
    if (!answer) return fetch_failed(answer.error().message());
    if (answer->status == 200) return std::move(answer->body);
    return fetch_failed("the answer is " + std::to_string(answer->status) +
                        (answer->status / 100 == 3 ? "; redirects are not followed" : ""));
}

void Fetcher::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (running_ != nullptr) running_->stop();
}

}  // namespace orrery::http
