// This file is compiled without run-time type information, like SpiderMonkey.
#include "script/spidermonkey/job_queue.h"

#include <cstddef>

#include <js/CallAndConstruct.h>
#include <js/ErrorReport.h>
#include <js/Exception.h>
#include <js/GCVector.h>
#include <js/Promise.h>
#include <js/ValueArray.h>
#include <jsapi.h>

#include "model/limits.h"

namespace orrery::script {

class JobQueue::Jobs final : public JS::JobQueue {
public:
    explicit Jobs(JSContext* context) : jobs_(context) {}

    bool run_all(JSContext* context) {
        JS::RootedObject job(context);
        JS::RootedValue function(context);
        JS::RootedValue result(context);
        while (next_ < jobs_.length()) {
            job = jobs_[next_++];
            function.setObject(*job);
            const JSAutoRealm realm(context, job);
            const auto none = JS::HandleValueArray::empty();
            if (!JS::Call(context, JS::UndefinedHandleValue, function, none, &result)) {
                if (!JS_IsExceptionPending(context)) return false;
                JS_ClearPendingException(context);
            }
            // Jobs that enqueue jobs must not make the vector grow forever.
            if (next_ >= 1024 && next_ * 2 > jobs_.length()) {
                jobs_.erase(jobs_.begin(), jobs_.begin() + next_);
                next_ = 0;
            }
        }
        clear();
        return true;
    }

    void clear() {
        jobs_.clear();
        next_ = 0;
    }

    void set_ignored(bool ignored) { ignored_ = ignored; }

    JSObject* getIncumbentGlobal(JSContext* context) override {
        return JS::CurrentGlobalOrNull(context);
    }

    bool enqueuePromiseJob(JSContext* context,
                           JS::HandleObject /*promise*/,
                           JS::HandleObject job,
                           JS::HandleObject /*allocation_site*/,
                           JS::HandleObject /*incumbent_global*/) override {
        if (ignored_) return true;
        if (jobs_.length() - next_ >= model::limits::kScriptPromiseJobsMax) {
            JS_ReportErrorASCII(context, "too many pending promise reactions");
            return false;
        }
        if (jobs_.append(job)) return true;
        JS_ReportOutOfMemory(context);
        return false;
    }

    void runJobs(JSContext* context) override { static_cast<void>(run_all(context)); }

    bool empty() const override { return next_ == jobs_.length(); }

protected:
    // Called by debuggers only, and there are none.
    js::UniquePtr<SavedJobQueue> saveJobQueue(JSContext* context) override {
        JS_ReportErrorASCII(context, "saving job queues is not supported");
        return nullptr;
    }

private:
    JS::PersistentRootedObjectVector jobs_;
    std::size_t next_ = 0;
    bool ignored_ = false;
};

JobQueue::JobQueue(JSContext* context) : context_(context), jobs_(std::make_unique<Jobs>(context)) {
    JS::SetJobQueue(context, jobs_.get());
}

JobQueue::~JobQueue() { JS::SetJobQueue(context_, nullptr); }

bool JobQueue::run_all() { return jobs_->run_all(context_); }

void JobQueue::clear() { jobs_->clear(); }

void JobQueue::set_ignored(bool ignored) { jobs_->set_ignored(ignored); }

}  // namespace orrery::script
