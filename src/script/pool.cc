#include "script/pool.h"

#include <pthread.h>
#include <utility>

#include "base/check.h"
#include "base/guarded.h"
#include "base/thread_pool.h"

namespace orrery::script {

// std::thread cannot set a stack size.
class ScriptPool::Thread {
public:
    explicit Thread(ScriptPool& pool) {
        pthread_attr_t attributes;
        CHECK(pthread_attr_init(&attributes) == 0);
        CHECK(pthread_attr_setstacksize(&attributes, kScriptStackBytes) == 0);
        CHECK(pthread_create(&thread_, &attributes, start, &pool) == 0);
        pthread_attr_destroy(&attributes);
    }
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    ~Thread() { pthread_join(thread_, nullptr); }

private:
    static void* start(void* pool) {
        pthread_setname_np(pthread_self(), "script");
        // A script may compute for seconds and must not delay other requests.
        lower_thread_priority();
        static_cast<ScriptPool*>(pool)->run();
        return nullptr;
    }

    pthread_t thread_{};
};

ScriptPool::ScriptPool(const RuntimeEnvironment& environment, const PoolOptions& options)
    : environment_(environment), options_(options) {
    for (std::size_t i = 0; i < options.threads; ++i) {
        threads_.push_back(std::make_unique<Thread>(*this));
    }
}

ScriptPool::~ScriptPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    threads_.clear();
}

Status ScriptPool::submit(Execution execution, ScriptHost& host, Done done) {
    return post([execution = std::move(execution), &host, done = std::move(done)](
                    Runtime& runtime) { done(runtime.run(execution, host)); });
}

Status ScriptPool::post(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (queue_.size() >= options_.queue_max) {
            ++refused_;
            return Error(ErrorCode::kThrottled, "Too many scripts are waiting; retry later.");
        }
        queue_.push_back(std::move(job));
    }
    wake_.notify_one();
    return {};
}

void ScriptPool::run() {
    std::unique_ptr<Runtime> runtime;
    std::unique_lock lock(mutex_);
    Job job;
    while (next(lock, runtime.get(), job)) {
        ++running_;
        ++started_;
        // After running out of memory the heap is not reliable enough for another script.
        const bool exhausted = runtime && runtime->is_exhausted();
        if (exhausted) ++resets_;
        lock.unlock();
        if (exhausted) runtime.reset();
        if (!runtime) runtime = make_runtime(environment_, options_.runtime);
        static_cast<void>(run_guarded("script", [&]() -> Status {
            job(*runtime);
            return {};
        }));
        job = nullptr;
        lock.lock();
        --running_;
        counts_ += runtime->take_counts();
    }
    lock.unlock();
}

ScriptPool::Stats ScriptPool::stats() const {
    const std::lock_guard lock(mutex_);
    return {.threads = {.threads = options_.threads,
                        .queued = queue_.size(),
                        .queue_max = options_.queue_max,
                        .running = running_,
                        .started = started_,
                        .refused = refused_},
            .counts = counts_,
            .resets = resets_};
}

bool ScriptPool::next(std::unique_lock<std::mutex>& lock, Runtime* runtime, Job& job) {
    const auto ready = [this] { return stopping_ || !queue_.empty(); };
    if (!ready() && runtime != nullptr && !runtime->is_exhausted()) {
        lock.unlock();
        runtime->prepare();
        lock.lock();
        if (!wake_.wait_for(lock, options_.idle, ready)) {
            lock.unlock();
            runtime->rest();
            lock.lock();
        }
    }
    wake_.wait(lock, ready);
    if (queue_.empty()) return false;
    job = std::move(queue_.front());
    queue_.pop_front();
    return true;
}

}  // namespace orrery::script
