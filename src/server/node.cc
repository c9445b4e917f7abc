#include "server/node.h"

#include <algorithm>

#include "base/log.h"
#include "http/open_files.h"
#include "partition/keys.h"
#include "server/memory.h"
#include "service/computed.h"
#include "storage/rocksdb/rocks_engine.h"

namespace orrery::server {

namespace {

constexpr storage::PartitionId kCatalogPartition = 0;
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

// Open files that are not connections: tables and logs of the storage, spilled queries, clients
// that are being refused.
constexpr std::size_t kFilesReserved = 1500;

// As many connections as the system allows files, so that it is this server that chooses which
// client to refuse.
std::size_t connections_within(std::size_t open_files_max, std::size_t wanted) {
    const std::size_t room = open_files_max - std::min(open_files_max / 2, kFilesReserved);
    if (wanted <= room || open_files_max == 0) return wanted;
    log::warn("connections_limited", {{"connections_max", room}, {"open_files", open_files_max}});
    return room;
}

std::string host_of(const ServeConfig& config, std::uint16_t port) {
    const bool six = config.address.find(':') != std::string::npos;
    return (six ? "[" + config.address + "]" : config.address) + ":" + std::to_string(port);
}

}  // namespace

Result<std::unique_ptr<storage::Engine>> open_engine(storage::DataDirectory& directory,
                                                     const EngineMemory& memory) {
    storage::RocksOptions options;
    options.path = directory.database_path();
    options.create = directory.fresh();
    options.cache_bytes = memory.cache_bytes;
    options.write_buffer_bytes = memory.memtable_bytes;
    options.scanned_letters = partition::kScannedLetters;
    options.flush_at_end = true;
    auto engine = TRY(storage::open_shared_rocks(options));
    if (directory.fresh()) TRY(directory.mark_ready());
    return engine;
}

Result<std::unique_ptr<Node>> Node::start(const ServeConfig& config) {
    http::raise_open_files_limit();
    // Open the directory first: it decides whether this server may touch anything in it.
    std::optional<storage::DataDirectory> directory;
    if (!config.ephemeral) directory = TRY(storage::open_data_directory(config.data_directory));
    SecureRandom random;
    AccountKey key = TRY(account_key(config, random));
    auto master_key = auth::MasterKey::from_base64(key.base64);
    if (!master_key) return Error(ErrorCode::kInternal, "the account key is not valid");
    auto node = std::make_unique<Node>(Started(), std::move(key), std::move(*master_key));
    node->directory_ = std::move(directory);
    TRY(node->open_storage(config));
    node->build_services(config);
    TRY(node->open_gateway(config));
    return node;
}

Node::~Node() { stop(std::chrono::seconds(0)); }

bool Node::stop(std::chrono::seconds patience) {
    draining_ = true;
    return !http_ || http_->stop(patience);
}

Status Node::open_storage(const ServeConfig& config) {
    const std::size_t cache_mb =
        config.block_cache_mb > 0 ? config.block_cache_mb : default_cache_mb(usable_memory_bytes());
    const EngineMemory memory{.cache_bytes = cache_mb << 20,
                              .memtable_bytes = std::size_t{config.memtable_mb} << 20};
    if (config.ephemeral) {
        engine_ = TRY(storage::open_shared_rocks(
            {.path = "/orrery",
             .create = true,
             .file_system = storage::make_memory_file_system(),
             .cache_bytes = memory.cache_bytes,
             .write_buffer_bytes = memory.memtable_bytes,
             .scanned_letters = std::string(partition::kScannedLetters)}));
    } else {
        engine_ = TRY(open_engine(*directory_, memory));
        if (directory_->outdated()) {
            TRY(directory_->mark_ready());
            log::info("data_directory_upgraded", {{"path", directory_->path()}});
        }
    }
    catalog_store_ = TRY(engine_->open(kCatalogPartition));
    catalog_ = TRY(catalog::Catalog::open(catalog_store_, clock_, random_));
    return {};
}

void Node::build_services(const ServeConfig& config) {
    executors_ = std::make_unique<ThreadPool>(writer_threads(config));
    docnums_ = std::make_unique<partition::DocnumCache>(kDocnumCacheEntries);
    partitions_ = std::make_unique<service::Partitions>(
        *engine_,
        *catalog_,
        partition::Partition::Environment{.executors = *executors_,
                                          .clock = clock_,
                                          .docnums = docnums_.get(),
                                          .computed = service::make_computed});
    indexing_ = std::make_unique<service::Indexing>(*catalog_, *partitions_);
    background_ = std::make_unique<service::Background>(
        *catalog_,
        *partitions_,
        *indexing_,
        clock_,
        service::Background::Options{
            .interval = std::chrono::milliseconds(config.ttl_sweep_ms),
            .close_after = std::chrono::seconds(config.partition_idle_seconds)});
    signer_ = std::make_unique<service::ContinuationSigner>(catalog_->secret());
    query_memory_ = std::make_unique<MemoryPool>(std::size_t{config.query_memory_mb} << 20);
    resource_feed_ = std::make_unique<service::ResourceFeed>(*signer_, clock_);
    resources_ = std::make_unique<service::Resources>(
        *catalog_,
        *resource_feed_,
        service::ResourceOptions{.partition_count = config.partitions,
                                 .on_removal = [this] { background_->wake(); },
                                 .on_replacement =
                                     [this](model::ContainerRid rid) {
                                         indexing_->adopt(rid);
                                         background_->wake();
                                     }});
    scripts_ = std::make_unique<service::Scripts>(*catalog_, *resource_feed_);
    items_ = std::make_unique<service::Items>(*partitions_);
    batches_ = std::make_unique<service::Batches>(*partitions_);
    item_feed_ = std::make_unique<service::ItemFeed>(*partitions_, *signer_);
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
}

Status Node::open_gateway(const ServeConfig& config) {
    http::ServerOptions options;
    options.address = config.address;
    options.port = config.port;
    options.threads = config.threads;
    options.limits.connections_max =
        connections_within(http::raise_open_files_limit(), config.connections_max);
    options.limits.body_bytes_together_max = std::size_t{config.body_memory_mb} << 20;
    options.limits.response_bytes_together_max = std::size_t{config.response_memory_mb} << 20;
    const ServerCertificate certificate = TRY(server_certificate(config, clock_));
    options.tls = certificate.tls;
    gateway_ = std::make_unique<gateway::Gateway>(
        gateway::Backend{.resources = *resources_,
                         .scripts = *scripts_,
                         .script_executor = *script_executor_,
                         .items = *items_,
                         .batches = *batches_,
                         .item_feed = *item_feed_,
                         .queries = *queries_,
                         .indexing = *indexing_,
                         .lanes = *lanes_,
                         .query_memory = *query_memory_,
                         .key = master_key_,
                         .clock = clock_,
                         .random = random_,
                         .certificate_pem = certificate.trusted_pem,
                         .advertised_endpoint = config.advertised_endpoint,
                         .default_host = host_of(config, config.port),
                         .healthy =
                             [this] {
                                 std::string value;
                                 return static_cast<bool>(catalog_store_->get("M", value));
                             },
                         .draining = draining_});
    http_ = TRY(http::Server::start(options, *gateway_));
    return {};
}

}  // namespace orrery::server
