#include "load_loop.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace orrery::bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kLengthName = "\r\ncontent-length:";

Error failed(const std::string& what) {
    return Error(ErrorCode::kUnavailable, what + ": " + std::strerror(errno));
}

Result<int> connect_to(const Target& target) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(target.port);
    inet_pton(AF_INET, target.host.c_str(), &address.sin_addr);
    if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        Error error = failed("cannot connect");
        ::close(socket);
        return error;
    }
    const int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return socket;
}

// Parses just enough HTTP to find the end of an answer.
class AnswerReader {
public:
    // Free space for more bytes; call received() after filling it.
    std::pair<char*, std::size_t> space() {
        return {buffer_.data() + size_, buffer_.size() - size_};
    }
    // True if the answer is complete; false also if it does not fit.
    bool received(std::size_t bytes) {
        size_ += bytes;
        if (expected_ == 0 && !find_end()) return false;
        return size_ >= expected_;
    }
    bool full() const { return size_ == buffer_.size(); }
    int status() const { return std::atoi(buffer_.data() + 9); }
    std::string_view head() const { return {buffer_.data(), head_bytes_}; }
    void clear() { size_ = expected_ = head_bytes_ = 0; }

private:
    bool find_end() {
        const void* const end = memmem(buffer_.data(), size_, "\r\n\r\n", 4);
        if (end == nullptr) return false;
        head_bytes_ = static_cast<std::size_t>(static_cast<const char*>(end) - buffer_.data()) + 4;
        expected_ = head_bytes_ + content_length();
        return true;
    }

    std::size_t content_length() const {
        const char* const stop = buffer_.data() + head_bytes_ - kLengthName.size();
        for (const char* at = buffer_.data(); at < stop; ++at) {
            at = static_cast<const char*>(
                std::memchr(at, '\r', static_cast<std::size_t>(stop - at)));
            if (at == nullptr) return 0;
            if (strncasecmp(at, kLengthName.data(), kLengthName.size()) == 0) {
                return std::strtoul(at + kLengthName.size(), nullptr, 10);
            }
        }
        return 0;
    }

    std::array<char, 64UL * 1024> buffer_;
    std::size_t size_ = 0;
    std::size_t expected_ = 0;
    std::size_t head_bytes_ = 0;
};

struct Client {
    int socket = -1;
    std::string request_buffer;
    AnswerReader answer;
    Clock::time_point sent;
};

class Loop {
public:
    Loop(const Target& target, Workload& workload, const LoadOptions& options)
        : target_(target), workload_(workload), options_(options), clients_(options.connections) {}
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop() {
        for (const Client& client : clients_) {
            if (client.socket >= 0) ::close(client.socket);
        }
        ::close(epoll_);
    }

    Result<LoadResult> run() {
        for (Client& client : clients_) {
            client.socket = TRY(connect_to(target_));
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.ptr = &client;
            epoll_ctl(epoll_, EPOLL_CTL_ADD, client.socket, &event);
        }
        begin_ = Clock::now() + options_.warm_up;
        end_ = begin_ + options_.duration;
        now_ = Clock::now();
        for (Client& client : clients_) {
            TRY(send_next(client));
        }
        while (under_way_ > 0) {
            TRY(turn());
        }
        result_.elapsed = std::min(Clock::now(), end_) - begin_;
        return std::move(result_);
    }

private:
    Status turn() {
        std::array<epoll_event, 256> events;
        const int count =
            epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 10'000);
        if (count < 0 && errno != EINTR) return failed("epoll_wait");
        if (count == 0) return Error(ErrorCode::kTimeout, "the server has stopped answering");
        for (int i = 0; i < count; ++i) {
            TRY(receive(*static_cast<Client*>(events[static_cast<std::size_t>(i)].data.ptr)));
        }
        return {};
    }

    Status receive(Client& client) {
        const auto [into, size] = client.answer.space();
        const ssize_t bytes = ::recv(client.socket, into, size, 0);
        if (bytes < 0) return failed("recv");
        if (bytes == 0) return Error(ErrorCode::kUnavailable, "the server closed a connection");
        if (!client.answer.received(static_cast<std::size_t>(bytes))) {
            if (!client.answer.full()) return {};
            return Error(ErrorCode::kTooLarge, "an answer is larger than the load generator takes");
        }
        now_ = Clock::now();
        count(client);
        client.answer.clear();
        --under_way_;
        return send_next(client);
    }

    void count(const Client& client) {
        if (now_ < begin_ || now_ > end_) return;
        if (client.answer.status() < 400) {
            result_.latencies.add(now_ - client.sent);
            second_of(now_).add(now_ - client.sent);
        } else if (result_.failures++ == 0) {
            result_.first_failure = client.answer.head();
        }
    }

    Histogram& second_of(Clock::time_point time) {
        const auto second = static_cast<std::size_t>((time - begin_) / std::chrono::seconds(1));
        if (result_.each_second.size() <= second) result_.each_second.resize(second + 1);
        return result_.each_second[second];
    }

    Status send_next(Client& client) {
        if (now_ >= end_) return {};
        std::string_view request = workload_.next(client.request_buffer);
        if (request.empty()) return {};
        client.sent = now_;
        ++under_way_;
        while (!request.empty()) {
            const ssize_t bytes =
                ::send(client.socket, request.data(), request.size(), MSG_NOSIGNAL);
            if (bytes < 0) return failed("send");
            request.remove_prefix(static_cast<std::size_t>(bytes));
        }
        return {};
    }

    const Target& target_;
    Workload& workload_;
    const LoadOptions options_;
    const int epoll_ = epoll_create1(EPOLL_CLOEXEC);
    std::vector<Client> clients_;
    std::size_t under_way_ = 0;
    Clock::time_point now_;
    Clock::time_point begin_;
    Clock::time_point end_;
    LoadResult result_;
};

}  // namespace

Result<LoadResult> run_load(const Target& target, Workload& workload, const LoadOptions& options) {
    return Loop(target, workload, options).run();
}

Result<int> send_once(const Target& target, std::string_view request) {
    const int socket = TRY(connect_to(target));
    AnswerReader answer;
    ssize_t bytes = ::send(socket, request.data(), request.size(), MSG_NOSIGNAL);
    bool complete = false;
    while (bytes > 0 && !complete) {
        const auto [into, size] = answer.space();
        bytes = ::recv(socket, into, size, 0);
        complete = bytes > 0 && answer.received(static_cast<std::size_t>(bytes));
    }
    ::close(socket);
    if (!complete) return Error(ErrorCode::kUnavailable, "no answer");
    return answer.status();
}

}  // namespace orrery::bench
