// A connection to another server, which carries one request at a time. Used by one thread.

#pragma once

#include <functional>
#include <memory>

#include <boost/asio/io_context.hpp>

#include "http/peers.h"

namespace orrery::http {

class PeerLink {
public:
    PeerLink() = default;
    PeerLink(const PeerLink&) = delete;
    PeerLink& operator=(const PeerLink&) = delete;
    virtual ~PeerLink() = default;

    // As Peers::send(). Connects first if it is not connected. The link must not be used again
    // before `done` is called.
    virtual void send(PeerRequest request, Peers::Done done) = 0;
    // Whether another request can be sent on the open connection.
    virtual bool is_reusable() = 0;
    // Ends what is under way, with an error.
    virtual void close() = 0;
};

// kUnavailable if the peer's authority is not a certificate.
Result<std::shared_ptr<PeerLink>> make_peer_link(boost::asio::io_context& io,
                                                 const Peer& peer,
                                                 std::size_t answer_bytes_max);

}  // namespace orrery::http
