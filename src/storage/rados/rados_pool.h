// A connection to a Ceph pool: guarded operations on single objects, each of which the cluster
// applies as a whole or not at all. Every operation ends: below the pool's min_size, Ceph itself
// would wait for ever.
//
// Errors: kNotFound (no such object), kConflict (it exists already), kPreconditionFailed (a guard
// did not hold; nothing was changed), kTimeout (the deadline passed: a change may have been
// applied, or be applied later), kUnavailable (anything else; not applied).

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "storage/rados/librados.h"
#include "storage/rados/rados_cluster.h"

namespace orrery::storage {

// A change of one object: the guards, which must all hold, and the changes. Built by one thread,
// started once.
class RadosChange {
public:
    explicit RadosChange(const RadosPool& pool);
    RadosChange(RadosChange&&) noexcept = default;

    // Guards.
    RadosChange& require_existing();
    RadosChange& require_new();  // creates it
    RadosChange& require_attribute(const char* name, std::string_view value);
    // The attribute is not greater, bytewise.
    RadosChange& require_attribute_at_most(const char* name, std::string_view value);
    RadosChange& require_key(std::string_view key, std::string_view value);

    // Changes.
    RadosChange& set_attribute(const char* name, std::string_view value);
    RadosChange& write(std::uint64_t offset, std::string_view bytes);
    RadosChange& replace(std::string_view bytes);
    RadosChange& truncate(std::uint64_t size);
    RadosChange& set_keys(const std::map<std::string, std::string>& keys);
    RadosChange& remove_keys(const std::vector<std::string>& keys);
    RadosChange& remove();

private:
    friend class RadosPool;

    const Librados* rados_;
    std::unique_ptr<void, void (*)(rados_write_op_t)> operation_;
};

class RadosPool {
public:
    // Called on a thread of the library, which must not be blocked.
    using Done = std::function<void(Status)>;
    using ReadDone = std::function<void(Result<std::size_t>)>;

    struct Usage {
        std::uint64_t bytes = 0;
        std::uint64_t objects = 0;
    };

    // The attributes and keys of an object.
    struct Contents {
        std::map<std::string, std::string> attributes;
        std::map<std::string, std::string> keys;
    };

    static Result<std::shared_ptr<RadosPool>> connect(const RadosOptions& options);

    RadosPool(const Librados& library, rados_t cluster, rados_ioctx_t context);
    RadosPool(const RadosPool&) = delete;
    RadosPool& operator=(const RadosPool&) = delete;
    // Waits for changes that are under way. All reads must have ended.
    ~RadosPool();

    const Librados& library() const { return rados_; }
    rados_t cluster() const { return cluster_; }
    rados_ioctx_t context() const { return context_; }

    // What the change refers to must stay until it has started.
    void start(const std::string& object, RadosChange change, Done done);
    Status apply(const std::string& object, RadosChange change);

    // The bytes at the offset, fewer at the end of the object. The buffer must stay until `done`.
    void start_read(
        const std::string& object, std::uint64_t offset, std::size_t size, char* to, ReadDone done);
    Result<std::size_t> read(const std::string& object,
                             std::uint64_t offset,
                             std::size_t size,
                             char* to);
    Result<std::uint64_t> size_of(const std::string& object);
    Result<std::map<std::string, std::string>> attributes_of(const std::string& object);
    // All attributes and the keys with the prefix. Keys beyond the first thousand come from later
    // reads.
    Result<Contents> contents_of(const std::string& object, const std::string& prefix = {});

    // Of the whole pool.
    Result<Usage> usage();

private:
    class Operation;

    struct Reading;

    void start(const std::string& object, const std::shared_ptr<Reading>& reading, Done done);
    Status run(const std::string& object, const std::shared_ptr<Reading>& reading);

    const Librados& rados_;
    const rados_t cluster_;
    const rados_ioctx_t context_;
};

// Waits for many operations that run at once: each is started with a callback from one().
class RadosWait {
public:
    RadosPool::Done one();
    // The first error, once all are done.
    Status all();

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace orrery::storage
