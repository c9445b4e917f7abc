#include "http/peers.h"

#include <map>
#include <set>
#include <thread>
#include <utility>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/read_mostly.h"
#include "http/peer_link.h"

namespace orrery::http {

namespace {

// More are closed when they become idle.
constexpr std::size_t kIdleLinksMax = 256;

std::string place_of(const Peer& peer) {
    return (peer.url.secure ? "https://" : "http://") + peer.url.authority() + '\n' +
           peer.authority_pem;
}

}  // namespace

// One thread with links of its own.
class Peers::Worker {
public:
    explicit Worker(const Options& options)
        : options_(options), work_(io_.get_executor()), thread_([this] { io_.run(); }) {}
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() { stop(); }

    void stop() {
        if (!thread_.joinable()) return;
        boost::asio::post(io_, [this] {
            stopping_ = true;
            idle_.clear();
            for (const auto& [link, place] : busy_)
                link->close();
            for (const auto& timer : timers_)
                timer->cancel();
            work_.reset();
        });
        thread_.join();
    }

    void send(const Peer& peer, PeerRequest request, Done done) {
        boost::asio::post(
            io_, [this, peer, request = std::move(request), done = std::move(done)]() mutable {
                begin(peer, std::move(request), std::move(done));
            });
    }

    void abandon(const Peer& peer) {
        boost::asio::post(io_, [this, place = place_of(peer)] {
            idle_.erase(place);
            // Closing calls back, later.
            for (const auto& [link, its_place] : busy_) {
                if (its_place == place) link->close();
            }
        });
    }

    void after(std::chrono::milliseconds time, std::function<void()> then) {
        boost::asio::post(io_, [this, time, then = std::move(then)]() mutable {
            if (stopping_) return;
            const auto timer = std::make_shared<boost::asio::steady_timer>(io_, time);
            const auto at = timers_.insert(timer).first;
            timer->async_wait([this, at, then = std::move(then)](const auto& cancelled) {
                timers_.erase(at);
                if (!cancelled) then();
            });
        });
    }

private:
    void begin(const Peer& peer, PeerRequest request, Done done) {
        if (stopping_) return done(Error(ErrorCode::kUnavailable, "the server is stopping"));
        const std::string place = place_of(peer);
        auto link = take_idle(place);
        if (!link) {
            auto made = make_peer_link(io_, peer, options_.answer_bytes_max);
            if (!made) return done(std::move(made).take_error());
            link = std::move(made).take();
        }
        busy_.emplace(link, place);
        link->send(std::move(request),
                   [this, place, link, done = std::move(done)](Result<Response> answer) {
                       busy_.erase(link);
                       auto& idle = idle_[place];
                       if (!stopping_ && link->is_reusable() && idle.size() < kIdleLinksMax) {
                           idle.push_back(link);
                       }
                       done(std::move(answer));
                   });
    }

    // The one used last: the others may be closed by the server as idle.
    std::shared_ptr<PeerLink> take_idle(const std::string& place) {
        auto& idle = idle_[place];
        while (!idle.empty()) {
            auto link = std::move(idle.back());
            idle.pop_back();
            if (link->is_reusable()) return link;
        }
        return nullptr;
    }

    const Options options_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    // For the thread only.
    std::map<std::string, std::vector<std::shared_ptr<PeerLink>>> idle_;
    std::map<std::shared_ptr<PeerLink>, std::string> busy_;  // and their places
    std::set<std::shared_ptr<boost::asio::steady_timer>> timers_;
    bool stopping_ = false;
    std::thread thread_;
};

Peers::Peers(const Options& options) {
    for (std::size_t i = 0; i < options.threads; ++i)
        workers_.push_back(std::make_unique<Worker>(options));
}

Peers::~Peers() { stop(); }

void Peers::stop() {
    for (const auto& worker : workers_)
        worker->stop();
}

void Peers::send(const Peer& peer, PeerRequest request, Done done) {
    // Threads that send often keep to one worker each, and so to their own links.
    workers_[read_slot() % workers_.size()]->send(peer, std::move(request), std::move(done));
}

void Peers::abandon(const Peer& peer) {
    for (const auto& worker : workers_)
        worker->abandon(peer);
}

void Peers::after(std::chrono::milliseconds time, std::function<void()> then) {
    workers_[read_slot() % workers_.size()]->after(time, std::move(then));
}

}  // namespace orrery::http
