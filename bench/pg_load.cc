// pg-load: measures PostgreSQL the way orrery-load measures a server: a closed loop of connections
// in one thread, with prepared statements and parameters built before the measurement starts.
// Prints one line of JSON. `--copy` prints the items instead, for COPY.

#include <CLI/CLI.hpp>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <libpq-fe.h>
#include <memory>
#include <random>
#include <string>
#include <sys/epoll.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/histogram.h"
#include "base/result.h"
#include "item.h"

namespace orrery::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;

struct Options {
    std::string server;  // a connection string of libpq
    std::string sql;
    std::vector<std::string> parameters;  // templates, see filled_in()
    std::uint64_t variations = 1;
    std::uint64_t step = 1;
    bool creates = false;
    std::uint64_t first = 0;
    std::size_t connections = 32;
    double seconds = 3;
    double warm_up_seconds = 1;
    std::uint64_t copy = 0;
};

Error failed(PGconn* connection) {
    return Error(ErrorCode::kUnavailable, PQerrorMessage(connection));
}

class Loop {
public:
    explicit Loop(const Options& options) : options_(options) {
        for (std::uint64_t i = 0; !options.creates && i < options.variations; ++i) {
            auto& values = variations_.emplace_back();
            for (const std::string& parameter : options.parameters) {
                values.push_back(filled_in(parameter, i * options.step));
            }
        }
    }
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;
    ~Loop() { ::close(epoll_); }

    Result<double> run() {
        for (std::size_t i = 0; i < options_.connections; ++i) {
            TRY(connect());
        }
        begin_ = Clock::now() + seconds(options_.warm_up_seconds);
        end_ = begin_ + seconds(options_.seconds);
        for (const Connection& connection : connections_) {
            TRY(send_next(connection.get()));
        }
        while (Clock::now() < end_) {
            std::array<epoll_event, 256> events;
            const int count = epoll_wait(epoll_, events.data(), events.size(), 1000);
            for (int i = 0; i < count; ++i) {
                TRY(receive(static_cast<PGconn*>(events[static_cast<std::size_t>(i)].data.ptr)));
            }
        }
        return static_cast<double>(latencies_.count()) / options_.seconds;
    }

    const Histogram& latencies() const { return latencies_; }
    std::uint64_t rows() const { return rows_; }

private:
    static Clock::duration seconds(double count) {
        return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
    }

    Status connect() {
        PGconn* const connection =
            connections_.emplace_back(PQconnectdb(options_.server.c_str()), PQfinish).get();
        if (PQstatus(connection) != CONNECTION_OK) return failed(connection);
        PGresult* const prepared = PQprepare(connection, "s", options_.sql.c_str(), 0, nullptr);
        const bool good = PQresultStatus(prepared) == PGRES_COMMAND_OK;
        PQclear(prepared);
        if (!good) return failed(connection);
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.ptr = connection;
        epoll_ctl(epoll_, EPOLL_CTL_ADD, PQsocket(connection), &event);
        sent_[connection] = Clock::now();
        return {};
    }

    Status send_next(PGconn* connection) {
        std::vector<std::string> created;
        if (options_.creates) {
            const std::uint64_t number = options_.first + created_++;
            created = {item_id(number), varied_body(number)};
        }
        const std::vector<std::string>& values =
            options_.creates ? created : variations_[random_() % variations_.size()];
        std::vector<const char*> texts;
        for (const std::string& value : values) {
            texts.push_back(value.c_str());
        }
        sent_[connection] = Clock::now();
        const int good = PQsendQueryPrepared(
            connection, "s", static_cast<int>(texts.size()), texts.data(), nullptr, nullptr, 0);
        if (good == 0 || PQflush(connection) < 0) return failed(connection);
        return {};
    }

    Status receive(PGconn* connection) {
        if (PQconsumeInput(connection) == 0) return failed(connection);
        while (PQisBusy(connection) == 0) {
            PGresult* const result = PQgetResult(connection);
            if (result == nullptr) {
                const auto now = Clock::now();
                if (now >= begin_ && now <= end_) latencies_.add(now - sent_[connection]);
                return send_next(connection);
            }
            const ExecStatusType status = PQresultStatus(result);
            rows_ += static_cast<std::uint64_t>(PQntuples(result));
            PQclear(result);
            if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return failed(connection);
        }
        return {};
    }

    const Options& options_;
    std::vector<std::vector<std::string>> variations_;
    std::vector<Connection> connections_;
    std::unordered_map<PGconn*, Clock::time_point> sent_;
    const int epoll_ = epoll_create1(EPOLL_CLOEXEC);
    std::mt19937_64 random_{kSeed};
    std::uint64_t created_ = 0;
    std::uint64_t rows_ = 0;
    Clock::time_point begin_;
    Clock::time_point end_;
    Histogram latencies_;
};

Status run(const Options& options) {
    for (std::uint64_t i = 0; i < options.copy; ++i) {
        fmt::print("{}\t{}\n", item_id(options.first + i), varied_body(options.first + i));
    }
    if (options.copy > 0) return {};
    Loop loop(options);
    const double per_second = TRY(loop.run());
    const auto microseconds = [&](double share) {
        return static_cast<double>(loop.latencies().quantile(share).count()) / 1000.0;
    };
    fmt::print(R"({{"connections":{},"requests":{},"rows":{},"per_second":{:.1f},"p50_us":{:.1f},)"
               R"("p99_us":{:.1f},"p999_us":{:.1f}}})"
               "\n",
               options.connections,
               loop.latencies().count(),
               loop.rows(),
               per_second,
               microseconds(0.5),
               microseconds(0.99),
               microseconds(0.999));
    return {};
}

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Measures a PostgreSQL server");
    app.add_option("--server", options.server, "connection string of libpq");
    app.add_option("--sql", options.sql, "the statement");
    app.add_option("--parameter", options.parameters, "of the statement; $N, $ID and $BODY vary");
    app.add_option("--variations", options.variations, "how many sets of parameters");
    app.add_option("--step", options.step, "between the numbers of two sets");
    app.add_flag(
        "--creates", options.creates, "the parameters are the id and the body of new items");
    app.add_option("--first", options.first, "number of the first new item");
    app.add_option("--connections", options.connections);
    app.add_option("--seconds", options.seconds);
    app.add_option("--warm-up", options.warm_up_seconds, "seconds before counting starts");
    app.add_option("--copy", options.copy, "print so many items for COPY, nothing else");
    CLI11_PARSE(app, argc, argv);
    const Status status = run(options);
    if (status) return 0;
    fmt::print(stderr, "pg-load: {}\n", status.error().message());
    return 1;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) { return orrery::bench::main(argc, argv); }
