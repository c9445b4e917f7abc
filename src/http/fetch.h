// Gets one of the few documents that the server reads from a URL, with limits; redirects are
// refused.

#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

#include "base/result.h"
#include "http/client_connection.h"
#include "http/url.h"

namespace orrery::http {

struct FetchOptions {
    // PEM: authorities to trust instead of those of the system. Read for every GET.
    std::string ca_file;
    std::size_t body_bytes_max = 1024UL * 1024;
    std::chrono::milliseconds timeout{10'000};
};

class Fetcher {
public:
    Fetcher(Url url, FetchOptions options) : url_(std::move(url)), options_(std::move(options)) {}

    // The body of a 200. Any other outcome is kUnavailable with the reason, without what was
    // received. Blocks until the time-out at most, or as long as the system takes to resolve the
    // host. Not from two threads at the same time.
    Result<std::string> get();

    // Makes get() return soon, now and ever after. May be called from any thread.
    void stop();

    const Url& url() const { return url_; }

private:
    const Url url_;
    const FetchOptions options_;
    std::mutex mutex_;  // guards the members below
    ClientConnection* running_ = nullptr;
    bool stopped_ = false;
};

}  // namespace orrery::http
