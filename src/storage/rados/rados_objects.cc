#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/log.h"
#include "storage/rados/file_entry.h"
#include "storage/rados/rados_pool.h"
#include "storage/rados/rados_status.h"

namespace orrery::storage {

namespace {

// On disk. Never change. An object of each value, and one whose keys are the names of all values.
constexpr std::string_view kPrefix = "o/";
constexpr const char* kRegistry = "objects";
constexpr const char* kVersionAttribute = "version";
constexpr const char* kValueKey = "value";

constexpr int kUnlistAttempts = 5;

// How soon OSDs forget a watcher that has gone, and how long they wait for one that does not
// answer.
constexpr std::uint32_t kWatchSeconds = 10;
constexpr std::uint64_t kNotifyMillis = 3000;
constexpr std::chrono::seconds kRewatchInterval{1};

std::string object_of(std::string_view name) { return std::string(kPrefix).append(name); }

Error version_changed(std::string_view name) {
    return Error(ErrorCode::kPreconditionFailed,
                 "'" + std::string(name) + "' has another version now");
}

// Turns all the ways in which a guard can fail into one.
Status guarded(Status outcome, std::string_view name) {
    if (outcome) return outcome;
    const ErrorCode code = outcome.error().code();
    if (code == ErrorCode::kNotFound || code == ErrorCode::kConflict ||
        code == ErrorCode::kPreconditionFailed) {
        return version_changed(name);
    }
    return outcome;
}

class Watcher;

// Calls back for all watches, from one thread, and renews those that were lost, from another: that
// can take as long as the cluster is not available.
class WatchThreads {
public:
    WatchThreads();
    WatchThreads(const WatchThreads&) = delete;
    WatchThreads& operator=(const WatchThreads&) = delete;
    ~WatchThreads();

    void call(std::weak_ptr<Watcher> watcher);
    void renew(std::weak_ptr<Watcher> watcher);

private:
    void make_calls();
    void make_renewals();

    std::mutex mutex_;  // guards the members below
    std::condition_variable wake_;
    bool stopping_ = false;
    std::deque<std::weak_ptr<Watcher>> to_call_;
    std::deque<std::weak_ptr<Watcher>> to_renew_;
    std::thread caller_;
    std::thread renewer_;
};

class Watcher : public std::enable_shared_from_this<Watcher> {
public:
    Watcher(std::shared_ptr<RadosPool> pool,
            WatchThreads& threads,
            std::string object,
            std::function<void()> on_notify)
        : pool_(std::move(pool)),
          threads_(threads),
          object_(std::move(object)),
          on_notify_(std::move(on_notify)) {}
    Watcher(const Watcher&) = delete;
    Watcher& operator=(const Watcher&) = delete;

    ~Watcher() {
        end();
        // No callback of the library refers to this object after it.
        static_cast<void>(pool_->library().watch_flush(pool_->cluster()));
    }

    Status start() {
        const int outcome = pool_->library().watch3(pool_->context(),
                                                    object_.c_str(),
                                                    &cookie_,
                                                    &Watcher::on_event,
                                                    &Watcher::on_loss,
                                                    kWatchSeconds,
                                                    this);
        watching_ = outcome == 0;
        return to_rados_status(outcome, "watching " + object_);
    }

    void end() {
        if (!std::exchange(watching_, false)) return;
        static_cast<void>(pool_->library().unwatch2(pool_->context(), cookie_));
    }

    void notify() const { on_notify_(); }

private:
    // These two run on a thread of the library and must not block.
    static void on_event(void* self,
                         std::uint64_t notification,
                         std::uint64_t cookie,
                         std::uint64_t /*notifier*/,
                         void* /*data*/,
                         std::size_t /*size*/) {
        Watcher& watcher = *static_cast<Watcher*>(self);
        watcher.pool_->library().notify_ack(
            watcher.pool_->context(), watcher.object_.c_str(), notification, cookie, nullptr, 0);
        watcher.threads_.call(watcher.weak_from_this());
    }
    static void on_loss(void* self, std::uint64_t /*cookie*/, int /*error*/) {
        Watcher& watcher = *static_cast<Watcher*>(self);
        watcher.threads_.renew(watcher.weak_from_this());
    }

    const std::shared_ptr<RadosPool> pool_;
    WatchThreads& threads_;
    const std::string object_;
    const std::function<void()> on_notify_;
    std::uint64_t cookie_ = 0;
    bool watching_ = false;
};

WatchThreads::WatchThreads()
    : caller_([this] { make_calls(); }), renewer_([this] { make_renewals(); }) {}

WatchThreads::~WatchThreads() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    caller_.join();
    renewer_.join();
}

void WatchThreads::call(std::weak_ptr<Watcher> watcher) {
    {
        const std::lock_guard lock(mutex_);
        to_call_.push_back(std::move(watcher));
    }
    wake_.notify_all();
}

void WatchThreads::renew(std::weak_ptr<Watcher> watcher) {
    {
        const std::lock_guard lock(mutex_);
        to_renew_.push_back(std::move(watcher));
    }
    wake_.notify_all();
}

void WatchThreads::make_calls() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !to_call_.empty(); });
        if (stopping_) return;
        const std::weak_ptr<Watcher> next = std::move(to_call_.front());
        to_call_.pop_front();
        lock.unlock();
        if (const auto watcher = next.lock()) watcher->notify();
        lock.lock();
    }
}

void WatchThreads::make_renewals() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stopping_ || !to_renew_.empty(); });
        if (stopping_) return;
        const std::weak_ptr<Watcher> next = std::move(to_renew_.front());
        to_renew_.pop_front();
        lock.unlock();
        bool renewed = true;
        if (const auto watcher = next.lock()) {
            watcher->end();
            renewed = static_cast<bool>(watcher->start());
            // Something may have been missed in between.
            if (renewed) watcher->notify();
        }
        lock.lock();
        if (renewed) continue;
        wake_.wait_for(lock, kRewatchInterval, [this] { return stopping_; });
        to_renew_.push_back(next);
    }
}

class RadosObjects final : public SharedObjects {
public:
    RadosObjects(std::shared_ptr<RadosPool> pool, Random& random)
        : pool_(std::move(pool)), random_(random) {}

    Result<std::optional<Value>> read(std::string_view name) override;
    Result<Version> write(std::string_view name, std::string_view bytes, Version expected) override;
    Status remove(std::string_view name, Version expected) override;
    Result<std::vector<std::string>> list(std::string_view prefix) override;
    Result<Watch> watch(std::string_view name, std::function<void()> on_notify) override;
    Status notify(std::string_view name) override;

private:
    std::uint64_t random_number();
    Result<Version> create(std::string_view name, std::string_view bytes);
    Status enlist(std::string_view name);
    Status unlist(std::string_view name);

    const std::shared_ptr<RadosPool> pool_;
    Random& random_;
    std::mutex mutex_;  // guards the creation of the threads
    std::unique_ptr<WatchThreads> threads_;
};

Result<std::optional<SharedObjects::Value>> RadosObjects::read(std::string_view name) {
    const std::string object = object_of(name);
    auto contents = pool_->contents_of(object);
    if (!contents && contents.error().code() == ErrorCode::kNotFound) {
        return std::optional<Value>();
    }
    if (!contents) return std::move(contents).take_error();
    const auto version = contents->attributes.find(kVersionAttribute);
    const auto value = contents->keys.find(kValueKey);
    const auto number =
        version == contents->attributes.end() ? std::nullopt : from_hex(version->second);
    if (!number || value == contents->keys.end()) {
        return Error(ErrorCode::kCorrupted, "object " + object + " is damaged");
    }
    return std::optional(Value{.bytes = value->second, .version = *number});
}

Result<SharedObjects::Version> RadosObjects::write(std::string_view name,
                                                   std::string_view bytes,
                                                   Version expected) {
    if (expected == kAbsent) return create(name, bytes);
    const Version next = expected + 1;
    RadosChange change(*pool_);
    change.require_attribute(kVersionAttribute, to_hex(expected))
        .set_attribute(kVersionAttribute, to_hex(next))
        .set_keys({{kValueKey, std::string(bytes)}});
    TRY(guarded(pool_->apply(object_of(name), std::move(change)), name));
    return next;
}

// The name is listed before the object exists, so that every object is listed even if this process
// ends here, and once more after it: a removal of the same name may have unlisted it in between.
Result<SharedObjects::Version> RadosObjects::create(std::string_view name, std::string_view bytes) {
    // Far from all versions of earlier objects of that name.
    const Version version = (random_number() >> 2) + 1;
    TRY(enlist(name));
    RadosChange change(*pool_);
    change.require_new()
        .set_attribute(kVersionAttribute, to_hex(version))
        .set_keys({{kValueKey, std::string(bytes)}});
    TRY(guarded(pool_->apply(object_of(name), std::move(change)), name));
    TRY(enlist(name));
    return version;
}

Status RadosObjects::remove(std::string_view name, Version expected) {
    RadosChange change(*pool_);
    change.require_attribute(kVersionAttribute, to_hex(expected)).remove();
    TRY(guarded(pool_->apply(object_of(name), std::move(change)), name));
    return unlist(name);
}

Status RadosObjects::enlist(std::string_view name) {
    RadosChange change(*pool_);
    // A value that was never there before: removals notice it.
    change.set_keys({{std::string(name), to_hex(random_number())}});
    return pool_->apply(kRegistry, std::move(change));
}

// Unless the name is enlisted again meanwhile: then its object exists, or will soon.
Status RadosObjects::unlist(std::string_view name) {
    const std::string key(name);
    for (int attempt = 0; attempt < kUnlistAttempts; ++attempt) {
        const RadosPool::Contents registry = TRY(pool_->contents_of(kRegistry, key));
        const auto listed = registry.keys.find(key);
        if (listed == registry.keys.end()) return {};
        const std::optional<Value> present = TRY(read(name));
        if (present) return {};
        RadosChange change(*pool_);
        change.require_key(key, listed->second).remove_keys({key});
        const Status removed = guarded(pool_->apply(kRegistry, std::move(change)), name);
        if (removed) return {};
        if (removed.error().code() != ErrorCode::kPreconditionFailed) return removed.error().copy();
    }
    return {};
}

Result<std::vector<std::string>> RadosObjects::list(std::string_view prefix) {
    auto registry = pool_->contents_of(kRegistry, std::string(prefix));
    std::vector<std::string> names;
    if (!registry && registry.error().code() == ErrorCode::kNotFound) return names;
    if (!registry) return std::move(registry).take_error();
    for (const auto& [name, mark] : registry->keys)
        names.push_back(name);
    return names;
}

Result<SharedObjects::Watch> RadosObjects::watch(std::string_view name,
                                                 std::function<void()> on_notify) {
    {
        const std::lock_guard lock(mutex_);
        if (!threads_) threads_ = std::make_unique<WatchThreads>();
    }
    auto watcher =
        std::make_shared<Watcher>(pool_, *threads_, object_of(name), std::move(on_notify));
    TRY(watcher->start());
    return Watch(std::move(watcher));
}

Status RadosObjects::notify(std::string_view name) {
    // Nobody waits for the watchers' answers: one of them may be dead.
    rados_completion_t completion = nullptr;
    const Librados& rados = pool_->library();
    TRY(to_rados_status(rados.aio_create_completion2(nullptr, nullptr, &completion), "notifying"));
    const int outcome = rados.aio_notify(pool_->context(),
                                         object_of(name).c_str(),
                                         completion,
                                         nullptr,
                                         0,
                                         kNotifyMillis,
                                         nullptr,
                                         nullptr);
    rados.aio_release(completion);
    return to_rados_status(outcome, "notifying watchers of " + std::string(name));
}

std::uint64_t RadosObjects::random_number() {
    return ByteReader(random_.bytes(sizeof(std::uint64_t))).big_endian<std::uint64_t>();
}

}  // namespace

std::unique_ptr<SharedObjects> make_rados_objects(std::shared_ptr<RadosPool> pool, Random& random) {
    return std::make_unique<RadosObjects>(std::move(pool), random);
}

}  // namespace orrery::storage
