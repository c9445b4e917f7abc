// The settings of `orrery serve`, by precedence: command line, environment (ORRERY_...), config
// file, default. Every option exists in all three.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ip_network.h"
#include "base/log.h"
#include "base/result.h"
#include "gateway/cross_origin.h"
#include "http/url.h"
#include "model/consistency.h"

// The name is the library's.
namespace CLI {  // NOLINT(readability-identifier-naming)
class App;
}

namespace orrery::server {

struct ServeConfig {
    std::string address = "127.0.0.1";
    std::uint16_t port = 8081;
    // The endpoint in the account document, such as https://host:8081/; empty: as the request came.
    std::string advertised_endpoint;
    // The clients that may send requests, beside those on this machine; empty: all.
    std::vector<IpNetwork> allowed_networks;
    // Whose pages may use the API from a browser.
    gateway::AllowedOrigins allowed_origins;
    std::string data_directory = "./orrery-data";
    bool ephemeral = false;
    // As a node of a cluster: Ceph's configuration file (empty: not one), where the data is in
    // Ceph, and who this node is.
    std::string cluster_conf;
    std::string cluster_pool;
    std::string cluster_namespace;
    std::string cluster_user;
    std::string node_name;
    std::string node_url;  // empty: the advertised one
    std::uint32_t lease_ms = 0;
    // The account keys: primary, secondary, and two for reading.
    std::string key_file;
    std::string secondary_key_file;
    std::string readonly_key_file;
    std::string secondary_readonly_key_file;
    // Entra-style bearer tokens: whose, for whom, and the keys that sign them, a JWKS in a file or
    // at a URL.
    std::vector<std::string> token_issuers;
    std::vector<std::string> token_audiences;
    std::string token_keys_file;
    std::optional<http::Url> token_keys_url;
    // The authorities that the URL's server is checked against; empty: those of the system.
    std::string token_keys_ca_file;
    // Accept bearer tokens that hold the account key, as test programs for emulators make them;
    // nothing: if the account key is the public one.
    std::optional<bool> emulator_tokens;
    std::string tls_certificate_file;
    std::string tls_key_file;
    // Clients must present a certificate that one of these authorities has signed; empty: none.
    std::string tls_client_ca_file;
    std::string port_file;
    bool stop_with_stdin = false;
    std::optional<std::uint32_t> partitions;
    model::ConsistencyLevel consistency = model::ConsistencyLevel::kSession;
    bool no_throttle = false;
    bool burst_capacity = false;
    std::uint32_t partition_max_mb = 0;
    std::uint32_t logical_partition_max_mb = 0;
    std::uint32_t churn_partitions_ms = 0;
    std::uint32_t threads = 0;
    // Threads of each lane; 0: by the number of cores.
    std::uint32_t control_threads = 0;
    std::uint32_t item_threads = 0;
    std::uint32_t query_threads = 0;
    std::uint32_t long_query_threads = 0;
    std::uint32_t script_threads = 0;
    std::uint32_t writer_threads = 0;
    std::uint32_t queue_max = 0;
    std::uint32_t change_streams_max = 0;
    std::uint32_t partition_idle_seconds = 0;
    std::uint32_t connections_max = 0;
    std::uint32_t body_memory_mb = 0;
    std::uint32_t response_memory_mb = 0;
    std::uint32_t query_memory_mb = 0;
    std::uint32_t ttl_sweep_ms = 0;
    std::uint32_t drain_seconds = 0;
    std::uint32_t block_cache_mb = 0;
    std::uint32_t memtable_mb = 0;
    // Where clients may have backups made; empty: nowhere.
    std::string backup_directory;
    std::uint32_t log_retention_hours = 0;
    // What clients on other machines present at /metrics.
    std::string metrics_token_file;
    // Query pages that take at least this long are logged; nothing: none.
    std::optional<std::chrono::milliseconds> slow_query = std::chrono::milliseconds(1000);
    log::Level log_level = log::Level::kInfo;
    log::Format log_format = log::Format::kText;

    // Only programs on this machine can connect.
    bool loopback() const;
};

// The options of `orrery serve`.
class ServeOptions {
public:
    void declare(CLI::App& app);
    // What is wrong with the options together, if anything. Call after parsing.
    std::string check();

    const ServeConfig& config() const { return config_; }

    // Option values that need parsing.
    struct Texts {
        std::string listen = "127.0.0.1:8081";
        std::string advertise;
        std::string allow;
        std::string cors_origins;
        std::string slow_query = "1000";
        std::string token_issuers;
        std::string token_audiences;
        std::string token_keys_url;
    };

private:
    ServeConfig config_;
    Texts texts_;
};

}  // namespace orrery::server
