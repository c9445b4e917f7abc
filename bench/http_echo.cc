// http_echo: the server's HTTP stack without a database. It answers every request at once with one
// fixed response, headers and body read from a file, and so measures the limit of the stack.

#include <CLI/CLI.hpp>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"
#include "http/message.h"
#include "http/open_files.h"
#include "http/server.h"

namespace orrery::bench {
namespace {

class EchoHandler final : public http::Handler {
public:
    explicit EchoHandler(http::Response response) : response_(std::move(response)) {}

    std::shared_ptr<http::AdmittedRequest> admit(
        std::shared_ptr<http::Exchange> exchange) override {
        exchange->respond(response_);
        return nullptr;
    }
    http::Response refuse(unsigned status, std::string_view /*reason*/) override {
        http::Response response;
        response.status = status;
        return response;
    }

private:
    const http::Response response_;
};

Result<std::string> contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return Error(ErrorCode::kNotFound, "cannot read " + path);
    return std::string(std::istreambuf_iterator<char>(file), {});
}

// The file holds header lines, an empty line and the body, with CRLF line ends.
Result<http::Response> read_response(const std::string& path) {
    const std::string text = TRY(contents(path));
    const std::size_t end = text.find("\r\n\r\n");
    if (end == std::string::npos) {
        return Error(ErrorCode::kBadRequest, path + " has no empty line after the headers");
    }
    http::Response response;
    response.headers = text.substr(0, end + 2);
    response.body = text.substr(end + 4);
    return response;
}

Status serve(const std::string& response_path, const std::string& port_file, std::size_t threads) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigprocmask(SIG_BLOCK, &ends, nullptr);

    http::raise_open_files_limit();
    EchoHandler handler(TRY(read_response(response_path)));
    http::ServerOptions options;
    options.threads = threads;
    const auto server = TRY(http::Server::start(options, handler));
    std::ofstream(port_file) << server->port() << '\n';
    int signal = 0;
    sigwait(&ends, &signal);
    server->stop(std::chrono::seconds(1));
    return {};
}

int main(int argc, char** argv) {
    std::string response_path;
    std::string port_file;
    std::size_t threads = 0;
    CLI::App app("Answers every HTTP request with the same response");
    app.add_option("--response", response_path, "header lines, empty line, body")->required();
    app.add_option("--port-file", port_file, "gets the port once it is open")->required();
    app.add_option("--threads", threads, "0 is one per core");
    CLI11_PARSE(app, argc, argv);
    const Status status = serve(response_path, port_file, threads);
    if (status) return 0;
    fmt::print(stderr, "http_echo: {}\n", status.error().message());
    return 1;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) { return orrery::bench::main(argc, argv); }
