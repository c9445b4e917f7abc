// Requests to other servers, sent without waiting for the answers: how the nodes of a cluster pass
// on what they cannot answer themselves. Connections are kept and used again, each for one request
// at a time.

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "http/url.h"

namespace orrery::http {

struct Peer {
    Url url;  // only its place counts
    // The authority that has signed the server's certificate, PEM. Of https only.
    std::string authority_pem;
};

struct PeerRequest {
    // In wire format: the start line and the headers, each with its line end. Content-Length is
    // added.
    std::string head = {};
    std::string body = {};
    std::chrono::steady_clock::time_point deadline;
    bool without_body = false;  // the answer has none: HEAD
};

class Peers {
public:
    // Headers that concern the connection are left out of the response.
    using Done = std::function<void(Result<Response>)>;

    struct Options {
        std::size_t threads = 1;
        std::size_t answer_bytes_max = std::size_t{64} << 20;
    };

    explicit Peers(const Options& options);
    Peers(const Peers&) = delete;
    Peers& operator=(const Peers&) = delete;
    ~Peers();

    // Ends requests under way with an error, and the threads. Nothing is called back afterwards.
    void stop();

    // `done` is called once, on a thread of this object; it must not block. Any complete answer
    // is a success, whatever its status. kUnavailable: the request was not sent. kTimeout: it may
    // have been carried out, but no complete answer has come (in time).
    void send(const Peer& peer, PeerRequest request, Done done);

    // Ends the requests under way to this peer, with kTimeout: it will not answer any more.
    void abandon(const Peer& peer);

    // Calls back on a thread of this object, or never if it is destroyed first.
    void after(std::chrono::milliseconds time, std::function<void()> then);

private:
    class Worker;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace orrery::http
