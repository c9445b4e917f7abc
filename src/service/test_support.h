// The service wired together as in the server, over any engine. Tests only.

#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/http_status.h"
#include "base/random.h"
#include "base/thread_pool.h"
#include "base/wait_for.h"
#include "catalog/catalog.h"
#include "model/test_support.h"
#include "partition/verify.h"
#include "service/attachments.h"
#include "service/batches.h"
#include "service/change_feed.h"
#include "service/client_keys.h"
#include "service/indexing.h"
#include "service/item_feed.h"
#include "service/items.h"
#include "service/offers.h"
#include "service/partitions.h"
#include "service/queries.h"
#include "service/repartitioning.h"
#include "service/resource_feed.h"
#include "service/resources.h"
#include "service/script_executor.h"
#include "service/scripts.h"
#include "service/users.h"
#include "storage/memory/memory_engine.h"

namespace orrery::service::testing_support {

using model::testing_support::item;
using model::testing_support::must;
using model::testing_support::parsed;

// "404/1003", or "ok".
template <typename T>
std::string code_of(const Result<T>& result) {
    if (result) return "ok";
    std::string out = std::to_string(http_status(result.error().code()));
    if (result.error().sub_status() != 0) out += "/" + std::to_string(result.error().sub_status());
    return out;
}

// The values of one property of the elements of a page.
inline std::vector<std::string> ids_of(const Page& page, std::string_view property = "id") {
    std::vector<std::string> out;
    const json::Value elements = parsed("[" + page.elements + "]");
    for (const json::Value& element : elements.array()) {
        out.push_back(element.find(property)->string());
    }
    EXPECT_EQ(out.size(), page.count);
    return out;
}

// The context of a request that is answered before the end of the expression it stands in.
struct Asked {
    explicit Asked(const Request& request = {}) { context.request = request; }
    operator Context&() { return context; }  // NOLINT: implicit

    Context context;
};

// What became of an operation on an item.
struct ItemOutcome {
    Result<ItemAnswer> answer;
    Receipt receipt;
};

// One run of a server, without sockets.
class Services {
public:
    Services(storage::Engine& engine, const Clock& clock) : engine_(engine), clock_(clock) {}
    ~Services() {
        repartitioning.reset();
        // As in the server: partitions must be released before the engine is destroyed.
        script_pool.reset();
        executors.reset();
    }
    Services(const Services&) = delete;
    Services& operator=(const Services&) = delete;

    // kUnavailable if the engine fails.
    Status start() {
        auto store = TRY(engine_.open(0));
        catalog = TRY(catalog::Catalog::open(std::move(store), clock_, random_));
        executors = std::make_unique<ThreadPool>(2);
        budgets.emplace(*catalog, Budgets::Options{});
        partitions.emplace(
            engine_,
            *catalog,
            *budgets,
            partition::Partition::Environment{.executors = *executors, .clock = clock_});
        indexing.emplace(*catalog, *partitions);
        repartitioning.emplace(
            *catalog,
            *catalog,
            *partitions,
            Repartitioning::Options{.interval = std::chrono::hours(1),
                                    .grows_with_throughput = false,
                                    .on_change = [this](model::ContainerRid rid) {
                                        budgets->refresh();
                                        partitions->adopt_retention(rid);
                                        indexing->adopt(rid);
                                    }});
        signer.emplace(catalog->secret());
        resource_feed.emplace(*signer, clock_);
        resources.emplace(*catalog,
                          *resource_feed,
                          ResourceOptions{.partition_count = std::nullopt,
                                          .on_removal = [this] { ++removals; },
                                          .on_replacement =
                                              [this](model::ContainerRid rid) {
                                                  partitions->adopt_retention(rid);
                                                  indexing->adopt(rid);
                                              }});
        scripts.emplace(*catalog, *resource_feed);
        tokens.emplace(catalog->secret());
        users.emplace(*catalog, *resource_feed, *tokens, clock_);
        client_keys.emplace(*catalog, *resource_feed);
        items.emplace(*partitions);
        attachments.emplace(*partitions, *resource_feed, random_);
        offers.emplace(
            *catalog,
            *resource_feed,
            OfferOptions{
                .stored_bytes = [this](const catalog::Container& one) -> Result<std::uint64_t> {
                    return stored_bytes + TRY(items->usage(one)).item_bytes;
                },
                .on_replacement =
                    [this](const catalog::Offer& offer) { replaced_offers.push_back(offer.rid); }});
        batches.emplace(*partitions);
        feed.emplace(*partitions, *signer);
        changes.emplace(*partitions, clock_);
        queries.emplace(*partitions, *signer, clock_, readers);
        script_pool = std::make_unique<script::ScriptPool>(
            script::RuntimeEnvironment{.clock = clock_, .random = secure_, .watchdog = watchdog_},
            script::PoolOptions{.threads = 3});
        script_executor.emplace(
            *script_pool,
            ScriptExecutor::BlockLists{.procedures = blocked_procedures_, .udfs = blocked_udfs_},
            ScriptTransaction::Services{
                .partitions = *partitions, .queries = *queries, .random = secure_});
        return {};
    }

    catalog::ContainerPtr container(std::string_view members = "{}",
                                    std::uint32_t partitions_wanted = 1) {
        auto database = catalog->find_database("d");
        if (!database) database = must(catalog->create_database("d", std::nullopt));
        return must(catalog->create_container(
            database->rid,
            {.definition = model::testing_support::container_definition(members),
             .throughput = model::Throughput{.request_units = 400},
             .partition_count = partitions_wanted}));
    }

    // Drops removed partitions, also those that a thread is just about to let go of.
    Status drop_removed() {
        while (TRY(partitions->drop_removed()))
            std::this_thread::yield();
        return {};
    }

    // The writes, made synchronous.
    ItemOutcome create(const catalog::ContainerPtr& container,
                       std::string_view body,
                       const Request& request = {}) {
        return wait(request, [&](Context& context, const ItemCallback& done) {
            items->create(context, container, body, done);
        });
    }
    ItemOutcome upsert(const catalog::ContainerPtr& container,
                       std::string_view body,
                       const Request& request = {}) {
        return wait(request, [&](Context& context, const ItemCallback& done) {
            items->upsert(context, container, body, done);
        });
    }
    ItemOutcome replace(const catalog::ContainerPtr& container,
                        const std::string& id,
                        std::string_view body,
                        const Request& request) {
        return wait(request, [&](Context& context, const ItemCallback& done) {
            items->replace(context, container, {.id = id, .rid = {}}, body, done);
        });
    }
    ItemOutcome remove(const catalog::ContainerPtr& container,
                       const std::string& id,
                       const Request& request) {
        return wait(request, [&](Context& context, const ItemCallback& done) {
            items->remove(context, container, {.id = id, .rid = {}}, done);
        });
    }
    static ItemOutcome wait(const Request& request,
                            const std::function<void(Context&, const ItemCallback&)>& start) {
        Asked asked(request);
        Result<ItemAnswer> answer = wait_for<Result<ItemAnswer>>(
            [&](const ItemCallback& done) { start(asked.context, done); });
        return {.answer = std::move(answer), .receipt = asked.context.receipt};
    }

    // Problems found in the partitions of all containers; empty if there are none.
    std::string problems() {
        std::string out;
        for (const catalog::ContainerPtr& one : catalog->all_containers()) {
            for (const catalog::PartitionRange& range : one->ranges) {
                const auto store = must(engine_.open(range.partition));
                for (const std::string& problem : must(partition::verify(*store)).problems) {
                    out += problem + "\n";
                }
            }
        }
        return out;
    }

    std::unique_ptr<catalog::Catalog> catalog;
    ThreadPool readers{2};
    std::unique_ptr<ThreadPool> executors;
    std::optional<Budgets> budgets;
    std::optional<Partitions> partitions;
    std::optional<Indexing> indexing;
    std::optional<Repartitioning> repartitioning;
    std::optional<ContinuationSigner> signer;
    std::optional<ResourceFeed> resource_feed;
    std::optional<Resources> resources;
    std::optional<Scripts> scripts;
    std::optional<auth::ResourceTokens> tokens;
    std::optional<Users> users;
    std::optional<ClientKeys> client_keys;
    std::optional<Items> items;
    std::optional<Attachments> attachments;
    std::optional<Offers> offers;
    std::optional<Batches> batches;
    std::optional<ItemFeed> feed;
    std::optional<ChangeFeed> changes;
    std::optional<Queries> queries;
    std::unique_ptr<script::ScriptPool> script_pool;
    std::optional<ScriptExecutor> script_executor;
    int removals = 0;
    std::uint64_t stored_bytes = 0;  // that every container seems to store besides its items
    std::vector<model::OfferRid> replaced_offers;

private:
    storage::Engine& engine_;
    const Clock& clock_;
    SeededRandom random_{1};
    SecureRandom secure_;
    script::Watchdog watchdog_;
    script::BlockList blocked_procedures_{script::kProcedureRule};
    script::BlockList blocked_udfs_{script::kUdfRule};
};

class ServiceTest : public testing::Test {
protected:
    ServiceTest() { EXPECT_TRUE(services_.start()); }

    storage::MemoryEngine engine_;
    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    Services services_{engine_, clock_};
};

}  // namespace orrery::service::testing_support
