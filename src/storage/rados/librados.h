// Ceph's client library, loaded when a cluster is used: a server without one needs neither the
// package nor the time and memory that loading it costs.

#pragma once

#include <rados/librados.h>

#include "base/result.h"

namespace orrery::storage {

// The functions of its C interface that we use, by their names without `rados_`.
#define ORRERY_LIBRADOS_FUNCTIONS(X) \
    X(create2)                       \
    X(conf_read_file)                \
    X(conf_set)                      \
    X(connect)                       \
    X(shutdown)                      \
    X(pool_lookup)                   \
    X(ioctx_create2)                 \
    X(ioctx_destroy)                 \
    X(ioctx_set_namespace)           \
    X(ioctx_pool_stat)               \
    X(aio_create_completion2)        \
    X(aio_get_return_value)          \
    X(aio_release)                   \
    X(aio_flush)                     \
    X(create_write_op)               \
    X(release_write_op)              \
    X(write_op_assert_exists)        \
    X(write_op_cmpxattr)             \
    X(write_op_omap_cmp2)            \
    X(write_op_setxattr)             \
    X(write_op_create)               \
    X(write_op_write)                \
    X(write_op_write_full)           \
    X(write_op_truncate)             \
    X(write_op_remove)               \
    X(write_op_omap_set2)            \
    X(write_op_omap_rm_keys2)        \
    X(aio_write_op_operate)          \
    X(create_read_op)                \
    X(release_read_op)               \
    X(read_op_read)                  \
    X(read_op_stat)                  \
    X(read_op_getxattrs)             \
    X(read_op_omap_get_vals2)        \
    X(aio_read_op_operate)           \
    X(getxattrs_next)                \
    X(getxattrs_end)                 \
    X(omap_get_next2)                \
    X(omap_get_end)                  \
    X(watch3)                        \
    X(watch_check)                   \
    X(unwatch2)                      \
    X(watch_flush)                   \
    X(aio_notify)                    \
    X(notify_ack)

struct Librados {
#define ORRERY_DECLARE(name) decltype(&::rados_##name) name = nullptr;
    ORRERY_LIBRADOS_FUNCTIONS(ORRERY_DECLARE)
#undef ORRERY_DECLARE
};

// The library, loaded by the first call and never unloaded. kUnavailable, saying what to install,
// if this machine does not have it.
Result<const Librados*> load_librados();

}  // namespace orrery::storage
