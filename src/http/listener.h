// The listening socket: accepts clients and distributes them round-robin to the reactors.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "http/reactor.h"
#include "http/socket.h"

namespace orrery::http {

class Listener {
public:
    // Not listening yet; use listen().
    explicit Listener(std::vector<std::shared_ptr<Reactor>> reactors);

    // Accepts on the first reactor's thread. kUnavailable if it cannot listen on the address,
    // kBadRequest if that is not an IP address.
    static Result<std::unique_ptr<Listener>> listen(const std::string& address,
                                                    std::uint16_t port,
                                                    std::vector<std::shared_ptr<Reactor>> reactors);

    std::uint16_t port() const { return port_; }

    // Call on the first reactor's thread, or before it runs.
    void start();
    // Call from any thread; takes effect only while the first reactor runs.
    void stop();

private:
    Status bind(const std::string& address, std::uint16_t port);
    void accept_waiting();
    void admit(Socket socket, Reactor& reactor);
    void pause();

    std::vector<std::shared_ptr<Reactor>> reactors_;
    ServerState& state_;
    Acceptor acceptor_;
    Timer pause_timer_;
    std::size_t next_ = 0;
    std::uint16_t port_ = 0;
};

}  // namespace orrery::http
