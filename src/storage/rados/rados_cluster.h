// Storage in a pool of a Ceph cluster: what the rest of the server sees of this folder.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "storage/owned_engine.h"
#include "storage/shared_objects.h"

namespace orrery::storage {

struct RadosOptions {
    std::string conf;  // Ceph's configuration file
    std::string pool;
    // Separates databases in one pool, for tests.
    std::string name_space = {};
    // The Ceph user; empty for client.admin.
    std::string user = {};
    // When an operation is given up; Ceph knows whole seconds only. Longer than the cluster takes
    // to notice a dead OSD, because giving up a commit costs the partition a recovery.
    std::chrono::seconds deadline{20};
};

class RadosPool;

// Loads Ceph's library and connects. Objects and engines can share a pool; give those that hold
// leases one of their own, with a shorter deadline.
Result<std::shared_ptr<RadosPool>> connect_rados(const RadosOptions& options);

std::unique_ptr<SharedObjects> make_rados_objects(std::shared_ptr<RadosPool> pool, Random& random);

struct RadosEngineOptions {
    // "node/incarnation"; never empty.
    std::string owner;
    // For blocks and single values of all partitions.
    std::size_t cache_bytes = std::size_t{256} << 20;
    // Of one partition.
    std::size_t write_buffer_bytes = std::size_t{16} << 20;
    // Of all partitions together.
    std::size_t write_buffers_bytes_max = std::size_t{256} << 20;
    // As in RocksOptions.
    std::string scanned_letters = {};
    // How long removed files can still be read by other nodes that follow a partition.
    std::chrono::seconds trash_time{60};
};

std::unique_ptr<OwnedEngine> make_rados_engine(std::shared_ptr<RadosPool> pool,
                                               const Clock& clock,
                                               const RadosEngineOptions& options);

}  // namespace orrery::storage
