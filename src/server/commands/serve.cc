#include "server/commands/serve.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/check.h"
#include "base/files.h"
#include "base/log.h"
#include "server/node.h"

namespace orrery::server {

namespace {

// Call before any thread starts, so that all threads leave these signals to sigwait().
void block_signals(sigset_t& signals) {
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    signal(SIGPIPE, SIG_IGN);
}

// True once there is nothing more to read, and nothing will ever come.
bool has_ended(int file) {
    std::array<char, 256> ignored{};
    const ssize_t got = read(file, ignored.data(), ignored.size());
    return got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN);
}

// Returns the signal, or 0 if standard input has ended.
int wait_for_end(const sigset_t& signals, bool with_stdin) {
    int signal_number = 0;
    if (!with_stdin) {
        sigwait(&signals, &signal_number);
        return signal_number;
    }
    const int source = signalfd(-1, &signals, SFD_CLOEXEC);
    CHECK(source >= 0);
    std::array<pollfd, 2> sources{pollfd{.fd = source, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0}};
    while (true) {
        if (poll(sources.data(), sources.size(), -1) < 0) continue;  // EINTR
        signalfd_siginfo info{};
        if (sources[0].revents != 0 && read(source, &info, sizeof(info)) == sizeof(info)) {
            signal_number = static_cast<int>(info.ssi_signo);
            break;
        }
        if (sources[1].revents != 0 && has_ended(STDIN_FILENO)) break;
    }
    close(source);
    return signal_number;
}

std::string endpoint(const ServeConfig& config, std::uint16_t port) {
    std::string host = config.address;
    if (host == "127.0.0.1" || host == "0.0.0.0") host = "localhost";
    if (host.find(':') != std::string::npos) host = "[" + host + "]";
    return "https://" + host + ":" + std::to_string(port) + "/";
}

std::string data_location(const ServeConfig& config) {
    if (config.ephemeral) return "in memory (lost when the server stops)";
    std::error_code failed;
    const auto path = std::filesystem::canonical(config.data_directory, failed);
    return failed ? config.data_directory : path.string();
}

void print_welcome(const ServeConfig& config, const Node& node) {
    const std::string url = endpoint(config, node.port());
    const bool public_key = node.key().origin.empty();
    const std::string key = public_key
                                ? node.key().base64 + "\n            (the emulators' public key)"
                                : "in " + node.key().origin;
    std::printf(
        "Orrery %s\n"
        "  Endpoint  %s  (%s)\n"
        "  Key       %s\n"
        "  Data      %s\n"
        "\n"
        "  # pip install azure-cosmos\n"
        "  from azure.cosmos import CosmosClient, PartitionKey\n"
        "  client = CosmosClient('%s', '%s', connection_verify=False)\n"
        "  container = client.create_database_if_not_exists('db').create_container_if_not_exists("
        "'items', PartitionKey('/pk'))\n"
        "  container.upsert_item({'id': '1', 'pk': 'a', 'hello': 'world'})\n"
        "  print(container.read_item('1', 'a'))\n\n",
        ORRERY_VERSION,
        url.c_str(),
        config.tls_client_ca_file.empty() ? "plain HTTP on the same port"
                                          : "client certificates required",
        key.c_str(),
        data_location(config).c_str(),
        url.c_str(),
        public_key ? node.key().base64.c_str() : "<key>");
    std::fflush(stdout);
}

// Tells the test or script that started us which port is used. The file is written atomically.
Status write_port_file(const ServeConfig& config, std::uint16_t port) {
    if (config.port_file.empty()) return {};
    return write_private_file(config.port_file, std::to_string(port) + "\n");
}

// A message may quote bytes of a damaged file, which must not reach a terminal as control codes.
std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
    return text;
}

// The doctor's command line for a server with these settings.
std::string doctor_command(const ServeConfig& config) {
    const bool six = config.address.find(':') != std::string::npos;
    return "orrery doctor --listen " + (six ? "[" + config.address + "]" : config.address) + ":" +
           std::to_string(config.port) +
           (config.ephemeral ? "" : " --data " + config.data_directory);
}

int failed(const Error& error, const ServeConfig& config) {
    std::fprintf(stderr, "orrery: %s\n", printable(error.message()).c_str());
    // The port, the directory, its lock or the disk.
    if (error.code() == ErrorCode::kUnavailable) {
        std::fprintf(
            stderr, "orrery: `%s` says what to do\n", printable(doctor_command(config)).c_str());
    }
    return 1;
}

}  // namespace

std::string ServeCommand::description() const {
    return "Serves the databases in a data directory over the Cosmos DB REST API.";
}

std::vector<cli::Example> ServeCommand::examples() const {
    return {{"orrery serve --data ./data", "Serve a data directory on localhost"},
            {"orrery serve --ephemeral --listen 127.0.0.1:0 --port-file port",
             "Serve an empty database in memory, for tests, on a free port"}};
}

int ServeCommand::run() {
    const ServeConfig& config = options_.config();
    log::configure(config.log_level, config.log_format);
    sigset_t signals;
    block_signals(signals);

    auto node = Node::start(config);
    if (!node) return failed(node.error(), config);
    if (const Status written = write_port_file(config, (*node)->port()); !written) {
        return failed(written.error(), config);
    }
    print_welcome(config, **node);
    log::info("started",
              {{"version", ORRERY_VERSION},
               {"address", config.address},
               {"port", (*node)->port()},
               {"ephemeral", config.ephemeral}});

    const int signal_number = wait_for_end(signals, config.stop_with_stdin);
    log::info("stopping", {{"signal", signal_number}});
    const bool clean = (*node)->stop(std::chrono::seconds(config.drain_seconds));
    node->reset();
    if (!config.port_file.empty()) {
        std::error_code ignored;
        std::filesystem::remove(config.port_file, ignored);
    }
    log::info("stopped", {{"clean", clean}});
    return 0;
}

}  // namespace orrery::server
