#include "storage/rados/rados_pool.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/wait_for.h"
#include "storage/rados/rados_status.h"

namespace orrery::storage {

namespace {

// OSDs return no more keys than this in one read.
constexpr std::uint64_t kKeysPerRead = 1024;

// Pools and clusters that are full refuse instead of making us wait.
constexpr int kFlags = LIBRADOS_OPERATION_FULL_TRY;

// Operations in flight beyond these would block their callers, and a stalled object would stop all
// others. What is in flight is bounded by those who wait for it.
constexpr const char* kInFlightMax = "65536";
constexpr const char* kInFlightBytesMax = "2147483648";

class ClusterHandle {
public:
    ClusterHandle(const Librados& library, rados_t cluster) : rados_(library), cluster_(cluster) {}
    ClusterHandle(const ClusterHandle&) = delete;
    ClusterHandle& operator=(const ClusterHandle&) = delete;
    ~ClusterHandle() {
        if (cluster_ != nullptr) rados_.shutdown(cluster_);
    }
    rados_t release() { return std::exchange(cluster_, nullptr); }

private:
    const Librados& rados_;
    rados_t cluster_;
};

Status configure(const Librados& rados, rados_t cluster, const RadosOptions& options) {
    TRY(to_rados_status(rados.conf_read_file(cluster, options.conf.c_str()),
                        "reading the Ceph configuration " + options.conf));
    const std::string seconds = std::to_string(options.deadline.count());
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
             {"rados_osd_op_timeout", seconds.c_str()},
             {"rados_mon_op_timeout", seconds.c_str()},
             {"client_mount_timeout", seconds.c_str()},
             {"objecter_inflight_ops", kInFlightMax},
             {"objecter_inflight_op_bytes", kInFlightBytesMax}}) {
        TRY(to_rados_status(rados.conf_set(cluster, name, value),
                            std::string("setting Ceph's option ") + name));
    }
    return {};
}

}  // namespace

RadosChange::RadosChange(const RadosPool& pool)
    : rados_(&pool.library()), operation_(rados_->create_write_op(), rados_->release_write_op) {}

RadosChange& RadosChange::require_existing() {
    rados_->write_op_assert_exists(operation_.get());
    return *this;
}

RadosChange& RadosChange::require_new() {
    rados_->write_op_create(operation_.get(), LIBRADOS_CREATE_EXCLUSIVE, nullptr);
    return *this;
}

RadosChange& RadosChange::require_attribute(const char* name, std::string_view value) {
    rados_->write_op_cmpxattr(
        operation_.get(), name, LIBRADOS_CMPXATTR_OP_EQ, value.data(), value.size());
    return *this;
}

RadosChange& RadosChange::require_attribute_at_most(const char* name, std::string_view value) {
    // Compares the given value with the attribute, in this order.
    rados_->write_op_cmpxattr(
        operation_.get(), name, LIBRADOS_CMPXATTR_OP_GTE, value.data(), value.size());
    return *this;
}

RadosChange& RadosChange::require_key(std::string_view key, std::string_view value) {
    rados_->write_op_omap_cmp2(operation_.get(),
                               key.data(),
                               LIBRADOS_CMPXATTR_OP_EQ,
                               value.data(),
                               key.size(),
                               value.size(),
                               nullptr);
    return *this;
}

RadosChange& RadosChange::set_attribute(const char* name, std::string_view value) {
    rados_->write_op_setxattr(operation_.get(), name, value.data(), value.size());
    return *this;
}

RadosChange& RadosChange::write(std::uint64_t offset, std::string_view bytes) {
    rados_->write_op_write(operation_.get(), bytes.data(), bytes.size(), offset);
    return *this;
}

RadosChange& RadosChange::replace(std::string_view bytes) {
    rados_->write_op_write_full(operation_.get(), bytes.data(), bytes.size());
    return *this;
}

RadosChange& RadosChange::truncate(std::uint64_t size) {
    rados_->write_op_truncate(operation_.get(), size);
    return *this;
}

RadosChange& RadosChange::set_keys(const std::map<std::string, std::string>& keys) {
    if (keys.empty()) return *this;
    std::vector<const char*> names;
    std::vector<const char*> values;
    std::vector<std::size_t> name_sizes;
    std::vector<std::size_t> value_sizes;
    for (const auto& [name, value] : keys) {
        names.push_back(name.data());
        values.push_back(value.data());
        name_sizes.push_back(name.size());
        value_sizes.push_back(value.size());
    }
    rados_->write_op_omap_set2(operation_.get(),
                               names.data(),
                               values.data(),
                               name_sizes.data(),
                               value_sizes.data(),
                               keys.size());
    return *this;
}

RadosChange& RadosChange::remove_keys(const std::vector<std::string>& keys) {
    if (keys.empty()) return *this;
    std::vector<const char*> names;
    std::vector<std::size_t> sizes;
    for (const std::string& name : keys) {
        names.push_back(name.data());
        sizes.push_back(name.size());
    }
    rados_->write_op_omap_rm_keys2(operation_.get(), names.data(), sizes.data(), keys.size());
    return *this;
}

RadosChange& RadosChange::remove() {
    rados_->write_op_remove(operation_.get());
    return *this;
}

// One in flight; deletes itself when it is done.
class RadosPool::Operation {
public:
    static void start(const Librados& rados,
                      std::function<void(int)> done,
                      const std::function<int(rados_completion_t)>& submit) {
        auto own = std::make_unique<Operation>(rados, std::move(done));
        rados_completion_t completion = nullptr;
        CHECK(rados.aio_create_completion2(own.get(), &Operation::complete, &completion) == 0);
        const int refused = submit(completion);
        if (refused == 0) {
            static_cast<void>(own.release());
            return;
        }
        rados.aio_release(completion);
        own->done_(refused);
    }

    Operation(const Librados& rados, std::function<void(int)> done)
        : rados_(rados), done_(std::move(done)) {}

private:
    static void complete(rados_completion_t completion, void* operation) {
        const std::unique_ptr<Operation> own(static_cast<Operation*>(operation));
        const int outcome = own->rados_.aio_get_return_value(completion);
        own->rados_.aio_release(completion);
        own->done_(outcome);
    }

    const Librados& rados_;
    const std::function<void(int)> done_;
};

Result<std::shared_ptr<RadosPool>> connect_rados(const RadosOptions& options) {
    return RadosPool::connect(options);
}

Result<std::shared_ptr<RadosPool>> RadosPool::connect(const RadosOptions& options) {
    const Librados& rados = *TRY(load_librados());
    rados_t cluster = nullptr;
    const std::string user = options.user.empty() ? "client.admin" : options.user;
    TRY(to_rados_status(rados.create2(&cluster, "ceph", user.c_str(), 0),
                        "creating a Ceph client"));
    ClusterHandle owned(rados, cluster);
    TRY(configure(rados, cluster, options));
    const std::string doing = "connecting to the Ceph cluster of " + options.conf;
    TRY(to_rados_status(rados.connect(cluster), doing));
    const std::int64_t pool = rados.pool_lookup(cluster, options.pool.c_str());
    if (pool < 0) {
        return to_rados_error(static_cast<int>(pool), "opening the Ceph pool " + options.pool);
    }
    rados_ioctx_t context = nullptr;
    TRY(to_rados_status(rados.ioctx_create2(cluster, pool, &context),
                        "opening the Ceph pool " + options.pool));
    rados.ioctx_set_namespace(context, options.name_space.c_str());
    return std::make_shared<RadosPool>(rados, owned.release(), context);
}

RadosPool::RadosPool(const Librados& library, rados_t cluster, rados_ioctx_t context)
    : rados_(library), cluster_(cluster), context_(context) {}

RadosPool::~RadosPool() {
    static_cast<void>(rados_.aio_flush(context_));
    rados_.ioctx_destroy(context_);
    rados_.shutdown(cluster_);
}

void RadosPool::start(const std::string& object, RadosChange change, Done done) {
    Operation::start(
        rados_,
        [object, done = std::move(done)](int outcome) {
            done(to_rados_status(outcome, "writing " + object));
        },
        [&](rados_completion_t completion) {
            return rados_.aio_write_op_operate(
                change.operation_.get(), context_, completion, object.c_str(), nullptr, kFlags);
        });
}

Status RadosPool::apply(const std::string& object, RadosChange change) {
    return wait_for<Status>([&](auto done) { start(object, std::move(change), std::move(done)); });
}

// A read operation with the places its results go to, which must stay until it is done.
struct RadosPool::Reading {
    explicit Reading(const Librados& library)
        : rados(library), operation(rados.create_read_op(), rados.release_read_op) {}
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() {
        if (attributes != nullptr) rados.getxattrs_end(attributes);
        if (keys != nullptr) rados.omap_get_end(keys);
    }

    std::map<std::string, std::string> take_attributes();
    std::map<std::string, std::string> take_keys();

    const Librados& rados;
    std::unique_ptr<void, void (*)(rados_read_op_t)> operation;
    std::size_t bytes = 0;
    std::uint64_t size = 0;
    rados_xattrs_iter_t attributes = nullptr;
    rados_omap_iter_t keys = nullptr;
    unsigned char more = 0;
    int outcome_of_part = 0;
};

std::map<std::string, std::string> RadosPool::Reading::take_attributes() {
    std::map<std::string, std::string> found;
    const char* name = nullptr;
    const char* value = nullptr;
    std::size_t value_size = 0;
    while (rados.getxattrs_next(attributes, &name, &value, &value_size) == 0 && name != nullptr) {
        found.emplace(name, std::string(value, value_size));
    }
    return found;
}

std::map<std::string, std::string> RadosPool::Reading::take_keys() {
    std::map<std::string, std::string> found;
    char* name = nullptr;
    char* value = nullptr;
    std::size_t name_size = 0;
    std::size_t value_size = 0;
    while (rados.omap_get_next2(keys, &name, &value, &name_size, &value_size) == 0 &&
           name != nullptr) {
        found.emplace(std::string(name, name_size), std::string(value, value_size));
    }
    return found;
}

void RadosPool::start_read(
    const std::string& object, std::uint64_t offset, std::size_t size, char* to, ReadDone done) {
    const auto reading = std::make_shared<Reading>(rados_);
    rados_.read_op_read(
        reading->operation.get(), offset, size, to, &reading->bytes, &reading->outcome_of_part);
    start(object, reading, [reading, done = std::move(done)](Status outcome) {
        if (!outcome) return done(std::move(outcome).take_error());
        done(reading->bytes);
    });
}

Result<std::size_t> RadosPool::read(const std::string& object,
                                    std::uint64_t offset,
                                    std::size_t size,
                                    char* to) {
    return wait_for<Result<std::size_t>>(
        [&](auto done) { start_read(object, offset, size, to, std::move(done)); });
}

Result<std::uint64_t> RadosPool::size_of(const std::string& object) {
    const auto reading = std::make_shared<Reading>(rados_);
    rados_.read_op_stat(
        reading->operation.get(), &reading->size, nullptr, &reading->outcome_of_part);
    TRY(run(object, reading));
    return reading->size;
}

Result<RadosPool::Contents> RadosPool::contents_of(const std::string& object,
                                                   const std::string& prefix) {
    Contents contents;
    bool more = true;
    for (std::string after; more;) {
        const auto reading = std::make_shared<Reading>(rados_);
        rados_read_op_t const operation = reading->operation.get();
        rados_.read_op_getxattrs(operation, &reading->attributes, &reading->outcome_of_part);
        rados_.read_op_omap_get_vals2(operation,
                                      after.c_str(),
                                      prefix.c_str(),
                                      kKeysPerRead,
                                      &reading->keys,
                                      &reading->more,
                                      &reading->outcome_of_part);
        TRY(run(object, reading));
        contents.attributes = reading->take_attributes();
        std::map<std::string, std::string> keys = reading->take_keys();
        more = reading->more != 0 && !keys.empty();
        if (more) after = keys.rbegin()->first;
        contents.keys.merge(keys);
    }
    return contents;
}

Result<std::map<std::string, std::string>> RadosPool::attributes_of(const std::string& object) {
    const auto reading = std::make_shared<Reading>(rados_);
    rados_.read_op_getxattrs(
        reading->operation.get(), &reading->attributes, &reading->outcome_of_part);
    TRY(run(object, reading));
    return reading->take_attributes();
}

Result<RadosPool::Usage> RadosPool::usage() {
    rados_pool_stat_t stats{};
    TRY(to_rados_status(rados_.ioctx_pool_stat(context_, &stats), "asking for the pool's usage"));
    return Usage{.bytes = stats.num_bytes, .objects = stats.num_objects};
}

void RadosPool::start(const std::string& object,
                      const std::shared_ptr<Reading>& reading,
                      Done done) {
    Operation::start(
        rados_,
        [object, reading, done = std::move(done)](int outcome) {
            done(to_rados_status(outcome, "reading " + object));
        },
        [&](rados_completion_t completion) {
            return rados_.aio_read_op_operate(
                reading->operation.get(), context_, completion, object.c_str(), 0);
        });
}

Status RadosPool::run(const std::string& object, const std::shared_ptr<Reading>& reading) {
    return wait_for<Status>([&](auto done) { start(object, reading, std::move(done)); });
}

// Shared with the callbacks, of which the last may still run when the waiter goes on.
struct RadosWait::State {
    std::mutex mutex;
    std::condition_variable done;
    std::size_t running = 0;
    std::optional<Error> first_error;
};

RadosPool::Done RadosWait::one() {
    if (!state_) state_ = std::make_shared<State>();
    {
        const std::lock_guard lock(state_->mutex);
        ++state_->running;
    }
    return [state = state_](Status outcome) {
        const std::lock_guard lock(state->mutex);
        if (!outcome && !state->first_error) {
            state->first_error.emplace(std::move(outcome).take_error());
        }
        if (--state->running == 0) state->done.notify_all();
    };
}

Status RadosWait::all() {
    if (!state_) return {};
    std::unique_lock lock(state_->mutex);
    state_->done.wait(lock, [this] { return state_->running == 0; });
    if (state_->first_error) return state_->first_error->copy();
    return {};
}

}  // namespace orrery::storage
