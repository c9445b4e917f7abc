// Helpers for tests that need a Ceph cluster: tests/lib/ceph.py runs them with one. Tests only.

#pragma once

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include "storage/rados/rados_cluster.h"

namespace orrery::storage::testing_support {

inline RadosOptions rados_options(const std::string& name_space) {
    const char* const conf = std::getenv("ORRERY_TEST_CEPH_CONF");
    const char* const pool = std::getenv("ORRERY_TEST_CEPH_POOL");
    EXPECT_TRUE(conf != nullptr && pool != nullptr)
        << "needs a cluster: tests/lib/ceph.py run -- build/dev/storage_cluster_test";
    return {.conf = conf == nullptr ? "" : conf,
            .pool = pool == nullptr ? "" : pool,
            .name_space = name_space};
}

// A database of its own in the pool of the test cluster.
inline std::string new_name_space() {
    static std::atomic<int> last{0};
    return std::to_string(getpid()) + "." + std::to_string(++last);
}

inline std::shared_ptr<RadosPool> connect(const RadosOptions& options) {
    auto pool = connect_rados(options);
    EXPECT_TRUE(pool) << (pool ? "" : pool.error().message());
    return pool ? std::move(pool).take() : nullptr;
}

}  // namespace orrery::storage::testing_support
