#include "server/config.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <utility>

#include "base/ascii.h"
#include "cli/command.h"
#include "model/limits.h"

namespace orrery::server {

namespace {

using cli::add;
using cli::add_choice;
using cli::Choices;

// Splits 127.0.0.1:8081, [::1]:8081 or localhost:8081; returns an empty text on success.
std::string split_listen(const std::string& text, ServeConfig& config) {
    std::string problem =
        "'" + text + "' is not ADDRESS:PORT, such as 127.0.0.1:8081 or [::1]:8081";
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0) return problem;
    std::string address = text.substr(0, colon);
    if (address.front() == '[' && address.back() == ']') {
        address = address.substr(1, address.size() - 2);
    }
    if (address == "localhost") address = "127.0.0.1";
    in6_addr parsed{};
    if (inet_pton(AF_INET, address.c_str(), &parsed) != 1 &&
        inet_pton(AF_INET6, address.c_str(), &parsed) != 1) {
        return "'" + address + "' is not an IP address";
    }
    const char* first = text.data() + colon + 1;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, config.port);
    if (error != std::errc() || end != last || first == last) return problem;
    config.address = address;
    return {};
}

// Takes http://host, https://host:8081/ and the like; empty text when it is fine. Clients compare
// endpoints as text that ends in a slash, and know no difference of case.
std::string set_advertised(const std::string& text, ServeConfig& config) {
    const auto url = http::parse_url(text);
    if (!url || url->target != "/") {
        return "'" + text + "' is not a URL such as https://db.example.com:8081/";
    }
    config.advertised_endpoint = lower(text) + (text.ends_with('/') ? "" : "/");
    return {};
}

// Keys that came over the network in plain text could be anybody's.
std::string set_token_keys_url(const std::string& text, ServeConfig& config) {
    config.token_keys_url = http::parse_url(text);
    if (!config.token_keys_url) {
        // Not the text: it may hold a password.
        return "the value is not a URL such as https://issuer.example.com/keys, without a user";
    }
    if (!config.token_keys_url->secure && !config.token_keys_url->names_loopback()) {
        return "the URL must begin with https:// unless it is on this machine";
    }
    return {};
}

// Takes 1000, 0, -1 and off; empty text when it is fine.
std::string set_slow_query(const std::string& text, ServeConfig& config) {
    config.slow_query.reset();
    if (lower(text) == "off") return {};
    std::int32_t milliseconds = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, milliseconds);
    if (error != std::errc() || stopped != end || milliseconds < -1) {
        return "'" + text + "' is not a number of milliseconds, -1 or off";
    }
    if (milliseconds >= 0) config.slow_query = std::chrono::milliseconds(milliseconds);
    return {};
}

// Takes networks such as 10.0.0.0/8,fd00::/8; empty text when they are fine.
std::string set_allowed(const std::string& text, ServeConfig& config) {
    config.allowed_networks.clear();
    for (const std::string& entry : cli::split_list(text)) {
        const auto network = IpNetwork::parse(entry);
        if (!network) return "'" + entry + "' is not a network such as 10.0.0.0/8";
        config.allowed_networks.push_back(*network);
    }
    if (config.allowed_networks.empty()) return "'" + text + "' names no network";
    return {};
}

// Takes origins such as https://app.example, or *; empty text when they are fine.
std::string set_origins(const std::string& text, ServeConfig& config) {
    config.allowed_origins = cli::split_list(text);
    for (const std::string& origin : config.allowed_origins) {
        if (!gateway::is_origin(origin)) {
            return "'" + origin + "' is not an origin such as https://app.example, without a path";
        }
    }
    if (config.allowed_origins.empty()) return "'" + text + "' names no origin";
    return {};
}

const Choices<log::Level> kLevels = {{"debug", log::Level::kDebug},
                                     {"info", log::Level::kInfo},
                                     {"warn", log::Level::kWarn},
                                     {"error", log::Level::kError}};
const Choices<log::Format> kFormats = {{"text", log::Format::kText}, {"json", log::Format::kJson}};
const Choices<model::ConsistencyLevel> kConsistencyLevels = {
    {"strong", model::ConsistencyLevel::kStrong},
    {"bounded-staleness", model::ConsistencyLevel::kBoundedStaleness},
    {"session", model::ConsistencyLevel::kSession},
    {"consistent-prefix", model::ConsistencyLevel::kConsistentPrefix},
    {"eventual", model::ConsistencyLevel::kEventual}};

using Texts = ServeOptions::Texts;

void add_lane_options(CLI::App& app, ServeConfig& config) {
    const auto add_threads = [&](const std::string& name, std::uint32_t& value, const char* what) {
        add(app, name, value, std::string("Threads that ") + what + "; 0: by the number of cores")
            ->check(CLI::Range(0, 256));
    };
    add_threads("control-threads", config.control_threads, "serve databases and containers");
    add_threads("item-threads", config.item_threads, "serve batches, and items read from disk");
    add_threads("query-threads", config.query_threads, "start queries");
    add_threads("long-query-threads", config.long_query_threads, "run long queries");
    add_threads("script-threads", config.script_threads, "run scripts");
    add_threads("writer-threads", config.writer_threads, "apply writes");
    config.queue_max = 1024;
    add(app, "queue-max", config.queue_max, "Requests that may wait for each kind of thread")
        ->check(CLI::Range(1, 1'000'000));
    config.change_streams_max = 1000;
    add(app,
        "change-streams-max",
        config.change_streams_max,
        "Clients that may stream changes as events at the same time");
}

void add_monitoring_options(CLI::App& app, ServeConfig& config, Texts& texts) {
    add(app,
        "metrics-token-file",
        config.metrics_token_file,
        "File with the token that clients on other machines present at /metrics")
        ->check(CLI::ExistingFile);
    add(app,
        "slow-query-ms",
        texts.slow_query,
        "Log query pages that take this long or longer; 0: all; -1 or off: none")
        ->check([&config](const std::string& text) { return set_slow_query(text, config); });
    add_choice(app,
               "consistency",
               config.consistency,
               kConsistencyLevels,
               "session",
               "Consistency of reads; requests may ask for less")
        ->envname("ORRERY_CONSISTENCY");
    add_choice(app, "log-level", config.log_level, kLevels, "info", "Minimum level to log")
        ->envname("ORRERY_LOG_LEVEL");
    add_choice(app, "log-format", config.log_format, kFormats, "text", "Format of log lines")
        ->envname("ORRERY_LOG_FORMAT");
}

void add_partition_options(CLI::App& app, ServeConfig& config) {
    app.add_option("--partitions",
                   config.partitions,
                   "Physical partitions of every new container (default: from its throughput)")
        ->envname("ORRERY_PARTITIONS")
        ->check(CLI::Range(1U, model::limits::kPhysicalPartitionsMax));
    app.add_flag("--no-throttle",
                 config.no_throttle,
                 "Never refuse requests because request units are used up")
        ->envname("ORRERY_NO_THROTTLE");
    app.add_flag("--burst-capacity",
                 config.burst_capacity,
                 "Let partitions use what they did not use in the last five minutes")
        ->envname("ORRERY_BURST_CAPACITY");
    config.partition_max_mb = model::limits::kPartitionMegabytesDefault;
    add(app, "partition-max-mb", config.partition_max_mb, "Size at which partitions are split, MB")
        ->check(CLI::Range(1, 1'000'000));
    config.logical_partition_max_mb = model::limits::kLogicalPartitionMegabytesDefault;
    add(app,
        "logical-partition-max-mb",
        config.logical_partition_max_mb,
        "What the items of one partition key may take, MB")
        ->check(CLI::Range(1, 1'000'000));
    add(app,
        "churn-partitions-ms",
        config.churn_partitions_ms,
        "For tests: split and merge all partitions at this interval; 0: never")
        ->check(CLI::Range(0, 1'000'000));
}

void add_backup_options(CLI::App& app, ServeConfig& config) {
    add(app,
        "backup-dir",
        config.backup_directory,
        "Directory that backups may be made in (default: none are made)");
    add(app,
        "log-retention-hours",
        config.log_retention_hours,
        "Keep the log of commits so long for the next backup, to restore states in between")
        ->check(CLI::Range(0, 8760));
}

void add_cluster_options(CLI::App& app, ServeConfig& config) {
    add(app,
        "cluster",
        config.cluster_conf,
        "Be a node of the cluster whose data is in Ceph: Ceph's configuration file")
        ->check(CLI::ExistingFile);
    add(app, "pool", config.cluster_pool, "Ceph pool of the cluster's data");
    add(app,
        "pool-namespace",
        config.cluster_namespace,
        "Namespace in the pool, to keep several clusters in one");
    add(app, "ceph-user", config.cluster_user, "Ceph user (default: client.admin)");
    add(app, "node", config.node_name, "Name of this node, different from those of all others");
    add(app,
        "node-url",
        config.node_url,
        "URL at which other nodes reach this one (default: that of --advertise)");
    config.lease_ms = 10'000;
    add(app,
        "lease-ms",
        config.lease_ms,
        "When creating a cluster: how long a node may be silent before others take over, ms")
        ->check(CLI::Range(1000, 600'000));
}

void add_credential_options(CLI::App& app, ServeConfig& config, Texts& texts) {
    const auto add_file = [&](const char* name, std::string& path, const char* help) {
        add(app, name, path, help)->check(CLI::ExistingFile);
    };
    add_file("key-file", config.key_file, "File with the account key in base64");
    add_file("secondary-key-file",
             config.secondary_key_file,
             "File with a second account key, for replacing the first");
    add_file("readonly-key-file", config.readonly_key_file, "File with a key that may only read");
    add_file("secondary-readonly-key-file",
             config.secondary_readonly_key_file,
             "File with a second key that may only read");
    add(app,
        "token-issuer",
        texts.token_issuers,
        "Issuers of bearer tokens to accept, separated by commas");
    add(app,
        "token-audience",
        texts.token_audiences,
        "Audiences of bearer tokens to accept, separated by commas");
    add_file("token-keys-file",
             config.token_keys_file,
             "File with the public keys that sign bearer tokens, a JSON Web Key Set");
    add(app,
        "token-keys-url",
        texts.token_keys_url,
        "URL of these keys instead, https unless it is on this machine; fetched every hour")
        ->check([&config](const std::string& text) { return set_token_keys_url(text, config); });
    add_file("token-keys-ca",
             config.token_keys_ca_file,
             "Authorities to trust for that URL, PEM (default: those of the system)");
    add_file("tls-certificate", config.tls_certificate_file, "Certificate chain to use, PEM");
    add_file("tls-key", config.tls_key_file, "Private key of the certificate, PEM");
    add_file("tls-client-ca",
             config.tls_client_ca_file,
             "Require client certificates that one of these authorities has signed, PEM");
    app.add_option("--emulator-tokens",
                   config.emulator_tokens,
                   "Accept bearer tokens that hold the account key instead of a signature "
                   "(default: only if the key is the emulators' public one)")
        ->envname("ORRERY_EMULATOR_TOKENS");
}

// For the program that starts this one.
void add_starter_options(CLI::App& app, ServeConfig& config) {
    add(app, "port-file", config.port_file, "File to write the port to once the server is ready");
    app.add_flag("--stop-with-stdin",
                 config.stop_with_stdin,
                 "Stop when standard input ends, so as not to outlive the program that holds the "
                 "other end")
        ->envname("ORRERY_STOP_WITH_STDIN");
}

void add_options(CLI::App& app, ServeConfig& config, Texts& texts) {
    add(app, "listen", texts.listen, "Address to listen on, ADDRESS:PORT; port 0 picks a free one")
        ->check([&config](const std::string& text) { return split_listen(text, config); });
    add(app,
        "advertise",
        texts.advertise,
        "URL at which clients reach the server (default: the one they used)")
        ->check([&config](const std::string& text) { return set_advertised(text, config); });
    add(app,
        "allow",
        texts.allow,
        "Networks that may send requests, such as 10.0.0.0/8, separated by commas (default: all)")
        ->check([&config](const std::string& text) { return set_allowed(text, config); });
    add(app,
        "cors-origins",
        texts.cors_origins,
        "Origins whose pages may use the API from a browser, such as https://app.example, "
        "separated "
        "by commas, or * (default: none)")
        ->check([&config](const std::string& text) { return set_origins(text, config); });
    add(app, "data", config.data_directory, "Data directory");
    app.add_flag("--ephemeral", config.ephemeral, "Keep everything in memory; lost on exit")
        ->envname("ORRERY_EPHEMERAL");
    add_cluster_options(app, config);
    add_credential_options(app, config, texts);
    add_starter_options(app, config);
    add_partition_options(app, config);
    add_backup_options(app, config);
    config.connections_max = 20'000;
    config.body_memory_mb = 256;
    config.response_memory_mb = 256;
    config.query_memory_mb = model::limits::kQueryMemoryMegabytesDefault;
    config.ttl_sweep_ms = 1000;
    config.drain_seconds = 10;
    config.memtable_mb = 64;
    add(app, "threads", config.threads, "Threads that serve connections; 0: one per core")
        ->check(CLI::Range(0, 256));
    add_lane_options(app, config);
    add(app, "connections-max", config.connections_max, "Maximum number of open connections")
        ->check(CLI::Range(1, 1'000'000));
    add(app, "body-memory-mb", config.body_memory_mb, "Memory limit for request bodies, MB")
        ->check(CLI::Range(8, 1'000'000));
    add(app,
        "response-memory-mb",
        config.response_memory_mb,
        "Memory limit for responses that clients do not read, MB")
        ->check(CLI::Range(8, 1'000'000));
    add(app, "query-memory-mb", config.query_memory_mb, "Memory limit for running queries, MB")
        ->check(CLI::Range(1, 1'000'000));
    add(app, "ttl-sweep-ms", config.ttl_sweep_ms, "Interval between removals of expired items, ms")
        ->check(CLI::Range(10, 3'600'000));
    config.partition_idle_seconds = 600;
    add(app,
        "partition-idle-seconds",
        config.partition_idle_seconds,
        "Close partitions that were not used for this time")
        ->check(CLI::Range(1, 86'400));
    add(app, "drain-seconds", config.drain_seconds, "Time to wait for requests on shutdown")
        ->check(CLI::Range(0, 3600));
    add(app,
        "block-cache-mb",
        config.block_cache_mb,
        "Memory limit for cached data, MB; 0: a quarter of the memory")
        ->check(CLI::Range(0, 1'000'000));
    add(app, "memtable-mb", config.memtable_mb, "Size of each of four buffers for writes, MB")
        ->check(CLI::Range(1, 4096));
    add_monitoring_options(app, config, texts);
    app.set_config("--config", "", "Settings file, one `name = value` per line (TOML)")
        ->envname("ORRERY_CONFIG");
    app.allow_config_extras(false);
}

std::string wrong_cluster(const ServeConfig& config) {
    const bool named = !config.cluster_pool.empty() || !config.node_name.empty() ||
                       !config.node_url.empty() || !config.cluster_namespace.empty() ||
                       !config.cluster_user.empty();
    if (config.cluster_conf.empty()) {
        return named ? "--pool, --node, --node-url, --ceph-user and --pool-namespace need --cluster"
                     : "";
    }
    if (config.cluster_pool.empty() || config.node_name.empty()) {
        return "--cluster needs --pool and --node";
    }
    if (config.ephemeral) return "--cluster and --ephemeral cannot be given together";
    if (!config.tls_client_ca_file.empty()) {
        return "--tls-client-ca is not supported with --cluster: nodes have no client certificates";
    }
    if (!config.backup_directory.empty()) {
        return "--backup-dir is not supported with --cluster";
    }
    const bool reachable = !config.advertised_endpoint.empty() || !config.node_url.empty() ||
                           (config.loopback() && config.port != 0);
    if (!reachable) return "--cluster needs --advertise, for the other nodes to reach this one";
    if (!config.loopback() && config.key_file.empty()) {
        return "--cluster needs --key-file on other addresses than loopback, with the same key on "
               "every node";
    }
    return "";
}

// What is wrong with the combination of settings, if anything.
std::string wrong_combination(const ServeConfig& config) {
    if (config.tls_certificate_file.empty() != config.tls_key_file.empty()) {
        return "--tls-certificate and --tls-key must be given together";
    }
    const bool from_file = !config.token_keys_file.empty();
    const bool from_url = config.token_keys_url.has_value();
    if (from_file && from_url) {
        return "--token-keys-file and --token-keys-url cannot be given together";
    }
    const bool keys = from_file || from_url;
    if (keys == config.token_issuers.empty() || keys == config.token_audiences.empty()) {
        return "--token-issuer, --token-audience and --token-keys-file or --token-keys-url must be "
               "given together";
    }
    if (!config.token_keys_ca_file.empty() && !(from_url && config.token_keys_url->secure)) {
        return "--token-keys-ca needs a --token-keys-url that begins with https://";
    }
    return wrong_cluster(config);
}

}  // namespace

bool ServeConfig::loopback() const { return address.starts_with("127.") || address == "::1"; }

void ServeOptions::declare(CLI::App& app) { add_options(app, config_, texts_); }

std::string ServeOptions::check() {
    config_.token_issuers = cli::split_list(texts_.token_issuers);
    config_.token_audiences = cli::split_list(texts_.token_audiences);
    return wrong_combination(config_);
}

}  // namespace orrery::server
