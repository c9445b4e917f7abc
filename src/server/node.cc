#include "server/node.h"

#include <algorithm>

#include "base/files.h"
#include "base/log.h"
#include "http/fetch.h"
#include "http/open_files.h"
#include "server/engine.h"
#include "server/memory.h"
#include "server/metrics/page.h"
#include "server/open_files.h"
#include "service/computed.h"

namespace orrery::server {

namespace {

constexpr std::size_t kDocnumCacheEntries = std::size_t{1} << 18;  // 4 MB

// One more than the cores: one may be writing to the disk for the others.
std::size_t writer_threads(const ServeConfig& config) {
    return config.writer_threads > 0 ? config.writer_threads : service::default_threads() + 1;
}

// More than the cores, because a script may wait for its commit, and a few long ones should leave
// room for others.
std::size_t script_threads(const ServeConfig& config) {
    return config.script_threads > 0 ? config.script_threads : 2 * service::default_threads();
}

// It is this server that chooses which client to refuse, not the system.
std::size_t allowed_connections(std::size_t wanted) {
    const std::size_t open_files = http::raise_open_files_limit();
    const std::size_t out = connections_within(open_files, wanted);
    if (out < wanted) {
        log::warn("connections_limited", {{"connections_max", out}, {"open_files", open_files}});
    }
    return out;
}

std::string host_of(const ServeConfig& config, std::uint16_t port) {
    const bool six = config.address.find(':') != std::string::npos;
    return (six ? "[" + config.address + "]" : config.address) + ":" + std::to_string(port);
}

// Without white space at the ends. A short token could be guessed.
Result<std::string> metrics_token(const ServeConfig& config) {
    constexpr std::size_t kTokenBytesMin = 16;
    if (config.metrics_token_file.empty()) return std::string();
    const std::string text = TRY(read_file(config.metrics_token_file));
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    if (begin == std::string::npos || end - begin + 1 < kTokenBytesMin) {
        return Error(ErrorCode::kBadRequest,
                     "'" + config.metrics_token_file + "' does not hold a token of at least " +
                         std::to_string(kTokenBytesMin) + " characters");
    }
    return text.substr(begin, end - begin + 1);
}

}  // namespace

Result<std::unique_ptr<Node>> Node::start(const ServeConfig& config) {
    http::raise_open_files_limit();
    // Open the directory first: it decides whether this server may touch anything in it.
    std::optional<storage::DataDirectory> directory;
    if (!config.ephemeral && config.cluster_conf.empty()) {
        directory = TRY(storage::open_data_directory(config.data_directory));
    }
    auto node = std::make_unique<Node>(Started());
    node->directory_ = std::move(directory);
    TRY(node->load_keys(config));
    node->certificate_ = TRY(server_certificate(config, node->clock_));
    TRY(node->open_storage(config));
    node->build_services(config);
    // Clients of a server that restarts should not find it without keys.
    if (node->key_fetcher_) node->key_fetcher_->wait_for_first();
    TRY(node->open_gateway(config));
    if (node->cluster_) TRY(node->serve_cluster());
    return node;
}

Node::~Node() { stop(std::chrono::seconds(0)); }

bool Node::stop(std::chrono::seconds patience) {
    // Other nodes take over while this one still answers.
    if (cluster_ && serving_ && !draining_) leave_cluster(patience);
    draining_ = true;
    const bool all_ended = !http_ || http_->stop(patience);
    if (change_streams_) change_streams_->stop();
    if (cluster_) cluster_->stop();
    return all_ended;
}

Status Node::load_keys(const ServeConfig& config) {
    key_files_ = std::make_unique<KeyFiles>(config, account_keys_, random_);
    key_ = TRY(key_files_->load());
    key_files_->watch(file_watch_);
    auth::BearerTokenOptions options;
    options.issuers = config.token_issuers;
    for (std::string audience : config.token_audiences) {
        while (audience.ends_with('/'))
            audience.pop_back();
        options.audiences.push_back(std::move(audience));
    }
    // The public key has no origin: a file that holds it has been chosen by somebody.
    options.accept_emulator_tokens = config.emulator_tokens.value_or(key_.origin.empty());
    options.on_unknown_key = [this] {
        if (key_fetcher_) key_fetcher_->want();
    };
    bearer_tokens_ = std::make_unique<auth::BearerTokens>(std::move(options), account_keys_);
    if (config.token_keys_url) TRY(fetch_token_keys(config));
    if (!config.token_keys_file.empty()) {
        const std::string path = config.token_keys_file;
        TRY(load_token_keys(path));
        file_watch_.add(path, [this, path] {
            if (const Status loaded = load_token_keys(path); !loaded) {
                log::error("token_keys_not_reloaded", {{"reason", loaded.error().message()}});
            } else {
                log::info("token_keys_reloaded", {{"path", path}});
            }
        });
    }
    file_watch_.start();
    return {};
}

Status Node::load_token_keys(const std::string& path) {
    auto keys = auth::KeySet::parse(TRY(read_file(path)));
    if (!keys) {
        return Error(ErrorCode::kBadRequest, "'" + path + "': " + keys.error().message());
    }
    bearer_tokens_->set_keys(std::move(keys).take());
    return {};
}

Status Node::fetch_token_keys(const ServeConfig& config) {
    http::FetchOptions options;
    options.ca_file = config.token_keys_ca_file;
    if (!options.ca_file.empty()) TRY(http::check_ca_file(options.ca_file));
    const auto fetcher = std::make_shared<http::Fetcher>(*config.token_keys_url, options);
    key_fetcher_ = std::make_unique<KeyFetcher>(
        KeyFetcher::Source{.name = fetcher->url().shown(),
                           .fetch = [fetcher] { return fetcher->get(); },
                           .stop = [fetcher] { fetcher->stop(); }},
        [this](auth::KeySet keys) { bearer_tokens_->set_keys(std::move(keys)); });
    return {};
}

Status Node::open_storage(const ServeConfig& config) {
    const std::size_t cache_mb =
        config.block_cache_mb > 0 ? config.block_cache_mb : default_cache_mb(usable_memory_bytes());
    const EngineSettings settings{.cache_bytes = cache_mb << 20,
                                  .memtable_bytes = std::size_t{config.memtable_mb} << 20,
                                  .log_retention = std::chrono::hours(config.log_retention_hours)};
    if (!config.cluster_conf.empty()) {
        TRY(join_cluster(config, settings));
    } else if (config.ephemeral) {
        storage::RocksOptions options = make_engine_options(settings);
        options.path = "/orrery";
        options.create = true;
        options.file_system = storage::make_memory_file_system();
        engine_ = TRY(storage::open_durable_rocks(options));
    } else {
        engine_ = TRY(open_engine(*directory_, settings));
        if (directory_->outdated()) {
            TRY(directory_->mark_ready());
            log::info("data_directory_upgraded", {{"path", directory_->path()}});
        }
    }
    catalog_store_ =
        cluster_ ? cluster_->catalog_store() : TRY(engine_->open(storage::kCatalogPartition));
    catalog_ = TRY(catalog::Catalog::open(catalog_store_, clock_, random_));
    return {};
}

void Node::build_offers() {
    offers_ = std::make_unique<service::Offers>(
        *catalog_,
        *resource_feed_,
        service::OfferOptions{
            .stored_bytes = [this](const catalog::Container& container) -> Result<std::uint64_t> {
                return TRY(items_->usage(container)).item_bytes;
            },
            .on_replacement = [this](const catalog::Offer& offer) { adapt_to(offer); },
            .recent_units =
                [this](const catalog::Offer& offer) {
                    return budgets_->usage_of(offer.resource_rid).busiest_second;
                },
            .is_growing =
                [this](const catalog::Offer& offer) {
                    return repartitioning_->is_growing(offer);
                }});
}

void Node::adapt_to(const catalog::Offer& offer) {
    budgets_->refresh();
    repartitioning_->wake();
    const auto database = model::DatabaseRid::parse(offer.resource_rid);
    if (!database) return;
    // The number of budgets that containers share may have changed. A partition chooses its own
    // when it is opened, so all are closed; nobody notices but the next request.
    for (const catalog::ContainerPtr& container : catalog_->containers_without_offer(*database)) {
        for (const catalog::PartitionRange& range : container->ranges) {
            if (const auto partition = partitions_->find(range.partition)) partition->close();
        }
    }
}

void Node::start_repartitioning(const ServeConfig& config) {
    service::Repartitioning::Options options;
    options.partition_bytes_max = std::uint64_t{config.partition_max_mb} << 20;
    options.churn = config.churn_partitions_ms > 0;
    options.grows_with_throughput = !config.partitions && !options.churn;
    if (options.churn) options.interval = std::chrono::milliseconds(config.churn_partitions_ms);
    options.on_change = [this](model::ContainerRid rid) {
        budgets_->refresh();
        partitions_->adopt_retention(rid);
        indexing_->adopt(rid);
        background_->wake();
    };
    if (cluster_) {
        options.on_reservation = [this](const std::vector<storage::PartitionId>& reserved) {
            return cluster_->claim(reserved);
        };
    }
    catalog::RangeEditor& editor = cluster_ ? cluster_->attach(*catalog_) : *catalog_;
    repartitioning_ = std::make_unique<service::Repartitioning>(
        *catalog_, editor, *partitions_, std::move(options));
}

void Node::build_access() {
    resource_tokens_ = std::make_unique<auth::ResourceTokens>(catalog_->secret());
    users_ =
        std::make_unique<service::Users>(*catalog_, *resource_feed_, *resource_tokens_, clock_);
    client_keys_ = std::make_unique<service::ClientKeys>(*catalog_, *resource_feed_);
    authenticator_ =
        std::make_unique<auth::Authenticator>(account_keys_, *resource_tokens_, *bearer_tokens_);
    roles_ = std::make_unique<service::Roles>(*catalog_);
    access_ = std::make_unique<service::Access>(*catalog_);
}

void Node::build_partitions(const ServeConfig& config) {
    executors_ = std::make_unique<ThreadPool>(writer_threads(config));
    docnums_ = std::make_unique<partition::DocnumCache>(kDocnumCacheEntries);
    budgets_ = std::make_unique<service::Budgets>(
        *catalog_,
        service::Budgets::Options{.throttle = !config.no_throttle, .burst = config.burst_capacity});
    partitions_ = std::make_unique<service::Partitions>(
        engine(),
        *catalog_,
        *budgets_,
        partition::Partition::Environment{
            .executors = *executors_,
            .clock = clock_,
            .docnums = docnums_.get(),
            .computed = service::make_computed,
            .may_answer = cluster_ ? cluster_->may_answer() : nullptr,
            .key_bytes_max = std::uint64_t{config.logical_partition_max_mb} << 20},
        placement());
    indexing_ = std::make_unique<service::Indexing>(*catalog_, *partitions_, placement());
    background_ = std::make_unique<service::Background>(
        *catalog_,
        *partitions_,
        *indexing_,
        clock_,
        service::Background::Options{
            .interval = std::chrono::milliseconds(config.ttl_sweep_ms),
            .close_after = std::chrono::seconds(config.partition_idle_seconds)});
    start_repartitioning(config);
}

void Node::build_services(const ServeConfig& config) {
    build_partitions(config);
    signer_ = std::make_unique<service::ContinuationSigner>(catalog_->secret());
    query_memory_ = std::make_unique<MemoryPool>(std::size_t{config.query_memory_mb} << 20);
    resource_feed_ = std::make_unique<service::ResourceFeed>(*signer_, clock_);
    resources_ = std::make_unique<service::Resources>(
        *catalog_,
        *resource_feed_,
        service::ResourceOptions{.partition_count = config.partitions,
                                 .on_removal =
                                     [this] {
                                         budgets_->refresh();
                                         background_->wake();
                                     },
                                 .on_replacement =
                                     [this](model::ContainerRid rid) {
                                         partitions_->adopt_retention(rid);
                                         indexing_->adopt(rid);
                                         background_->wake();
                                     }});
    scripts_ = std::make_unique<service::Scripts>(*catalog_, *resource_feed_);
    build_access();
    items_ = std::make_unique<service::Items>(*partitions_, placement());
    attachments_ = std::make_unique<service::Attachments>(*partitions_, *resource_feed_, random_);
    build_offers();
    batches_ = std::make_unique<service::Batches>(*partitions_);
    item_feed_ = std::make_unique<service::ItemFeed>(*partitions_, *signer_);
    change_feed_ = std::make_unique<service::ChangeFeed>(*partitions_, clock_, placement());
    // They read ahead for scans of many items, which must not delay short requests.
    readers_ = std::make_unique<ThreadPool>(ThreadPool::Options{
        .threads = service::default_threads(), .priority = ThreadPool::Priority::kLow});
    queries_ = std::make_unique<service::Queries>(*partitions_, *signer_, clock_, *readers_);
    watchdog_ = std::make_unique<script::Watchdog>();
    script_pool_ = std::make_unique<script::ScriptPool>(
        script::RuntimeEnvironment{.clock = clock_, .random = random_, .watchdog = *watchdog_},
        script::PoolOptions{.threads = script_threads(config)});
    script_executor_ = std::make_unique<service::ScriptExecutor>(
        *script_pool_,
        service::ScriptExecutor::BlockLists{.procedures = blocked_procedures_,
                                            .udfs = blocked_udfs_},
        service::ScriptTransaction::Services{
            .partitions = *partitions_, .queries = *queries_, .random = random_});
    lanes_ = std::make_unique<service::Lanes>(
        service::LaneOptions{.control_threads = config.control_threads,
                             .item_threads = config.item_threads,
                             .query_threads = config.query_threads,
                             .long_query_threads = config.long_query_threads,
                             .queue_max = config.queue_max});
    if (engine_) {
        backups_ = std::make_unique<Backups>(
            *engine_,
            clock_,
            Backups::Options{.directory = config.backup_directory,
                             .data_directory = directory_ ? directory_->path() : ""});
    }
    change_streams_ = std::make_unique<gateway::ChangeStreams>(
        gateway::ChangeStreams::Options{.streams_max = config.change_streams_max});
}

Status Node::open_gateway(const ServeConfig& config) {
    http::ServerOptions options;
    options.address = config.address;
    options.port = config.port;
    options.threads = config.threads;
    options.limits.connections_max = allowed_connections(config.connections_max);
    options.limits.body_bytes_together_max = std::size_t{config.body_memory_mb} << 20;
    options.limits.response_bytes_together_max = std::size_t{config.response_memory_mb} << 20;
    options.tls = certificate_.tls;
    if (!config.tls_client_ca_file.empty()) {
        options.client_authorities_pem = TRY(read_file(config.tls_client_ca_file));
        if (options.client_authorities_pem.empty()) {
            return Error(ErrorCode::kBadRequest, "'" + config.tls_client_ca_file + "' is empty");
        }
    }
    gateway::Backend backend{
        .resources = *resources_,
        .offers = *offers_,
        .scripts = *scripts_,
        .users = *users_,
        .client_keys = *client_keys_,
        .roles = *roles_,
        .access = *access_,
        .script_executor = *script_executor_,
        .items = *items_,
        .attachments = *attachments_,
        .batches = *batches_,
        .item_feed = *item_feed_,
        .change_feed = *change_feed_,
        .change_streams = *change_streams_,
        .queries = *queries_,
        .indexing = *indexing_,
        .budgets = *budgets_,
        .repartitioning = *repartitioning_,
        .lanes = *lanes_,
        .query_memory = *query_memory_,
        .monitor = *monitor_,
        .authenticator = *authenticator_,
        .failed_logins = failed_logins_,
        .keys = account_keys_,
        .regenerate_key = [this](auth::KeySlot slot) { return key_files_->regenerate(slot); },
        .begin_backup = [this](std::string_view request) { return backups_->begin(request); },
        .backups = [this] { return backups_->description(); },
        .clock = clock_,
        .random = random_,
        .certificate_pem = certificate_.trusted_pem,
        .advertised_endpoint = config.advertised_endpoint,
        .consistency = config.consistency,
        .default_host = host_of(config, config.port),
        .slow_query = config.slow_query,
        .metrics_page = [this] { return metrics_page(); },
        .allowed_networks = config.allowed_networks,
        .allowed_origins = config.allowed_origins,
        .requires_tls = !config.tls_client_ca_file.empty(),
        .metrics_token = TRY(metrics_token(config)),
        .healthy =
            [this] {
                std::string value;
                return static_cast<bool>(catalog_store_->get("M", value));
            },
        .draining = draining_};
    if (cluster_) add_cluster(backend);
    gateway_ = std::make_unique<gateway::Gateway>(std::move(backend));
    http_ = TRY(http::Server::start(options, *gateway_));
    serving_ = http_.get();
    return {};
}

std::string Node::metrics_page() const {
    return metrics_page::make_page(
        {.requests = *monitor_,
         .http = serving_,
         .lanes = *lanes_,
         .writers = *executors_,
         .readers = *readers_,
         .scripts = *script_pool_,
         .engine = cluster_ ? cluster_->engine() : *engine_,
         .catalog = *catalog_,
         .offers = *offers_,
         .partitions = *partitions_,
         .repartitioning = *repartitioning_,
         .query_memory = *query_memory_,
         .change_feed = *change_feed_,
         .change_streams = *change_streams_,
         .failed_logins = failed_logins_,
         .token_keys = key_fetcher_.get(),
         .data_directory = directory_ ? directory_->path() : std::string(),
         .started_seconds = static_cast<double>(started_.count()) / 1000});
}

}  // namespace orrery::server
