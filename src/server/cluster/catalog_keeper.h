// Keeps the catalog of this node up to date: leads it where its partition is assigned, follows the
// leader elsewhere. One thread.

#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "catalog/catalog.h"
#include "server/cluster/catalog_replica.h"
#include "server/cluster/node_calls.h"
#include "server/cluster/node_engine.h"

namespace orrery::server {

class CatalogKeeper {
public:
    struct Dependencies {
        CatalogReplica& replica;
        cluster::Member& member;
        storage::OwnedEngine& owned;
        NodeEngine& engine;
        NodeCalls& calls;
    };

    explicit CatalogKeeper(const Dependencies& dependencies)
        : dependencies_(dependencies), thread_([this] { run(); }) {}
    CatalogKeeper(const CatalogKeeper&) = delete;
    CatalogKeeper& operator=(const CatalogKeeper&) = delete;
    ~CatalogKeeper();

    // Returns once the replica can be read; kTimeout if no leader answers for so long.
    Status wait_until_ready(std::chrono::milliseconds patience);

    // What to keep up to date from now on; also does it. `on_change` is called by the thread after
    // each change that comes from another node; the leader waits for it.
    Status attach(catalog::Catalog& catalog, std::function<void()> on_change);

    // Whether the catalog's partition is assigned to this node.
    void set_assigned(bool assigned);
    // Stops leading: another node is to have the partition. It is released afterwards by others.
    void give_up();

private:
    void run();
    Status step();
    Status lead();
    Status follow();
    Status place_new();
    Status took_over();
    void pause(std::chrono::milliseconds time);

    const Dependencies dependencies_;
    std::mutex mutex_;  // guards the members below
    std::condition_variable changed_;
    bool assigned_ = false;
    bool ready_ = false;
    bool stopping_ = false;
    catalog::Catalog* catalog_ = nullptr;
    std::function<void()> on_change_;

    // For the thread only.
    std::uint64_t placed_edition_ = 0;
    bool outdated_ = false;  // the catalog, by the replica
    std::thread thread_;
};

}  // namespace orrery::server
