// This file is compiled without run-time type information, as its base class is.
#include "script/spidermonkey/job_queue.h"

#include <js/CallAndConstruct.h>
#include <js/ErrorReport.h>
#include <js/Exception.h>
#include <js/ValueArray.h>
#include <jsapi.h>

#include "model/limits.h"

namespace orrery::script {

bool JobQueue::run_all(JSContext* context) {
    JS::RootedObject job(context);
    JS::RootedValue function(context);
    JS::RootedValue ignored(context);
    while (next_ < jobs_.length()) {
        job = jobs_[next_++];
        function.setObject(*job);
        const JSAutoRealm realm(context, job);
        if (!JS::Call(context,
                      JS::UndefinedHandleValue,
                      function,
                      JS::HandleValueArray::empty(),
                      &ignored)) {
            if (!JS_IsExceptionPending(context)) return false;
            JS_ClearPendingException(context);
        }
        // Jobs that enqueue jobs must not make the vector grow for ever.
        if (next_ >= 1024 && next_ * 2 > jobs_.length()) {
            jobs_.erase(jobs_.begin(), jobs_.begin() + next_);
            next_ = 0;
        }
    }
    clear();
    return true;
}

void JobQueue::clear() {
    jobs_.clear();
    next_ = 0;
}

JSObject* JobQueue::getIncumbentGlobal(JSContext* context) {
    return JS::CurrentGlobalOrNull(context);
}

bool JobQueue::enqueuePromiseJob(JSContext* context,
                                 JS::HandleObject /*promise*/,
                                 JS::HandleObject job,
                                 JS::HandleObject /*allocation_site*/,
                                 JS::HandleObject /*incumbent_global*/) {
    if (ignored_) return true;
    if (jobs_.length() - next_ >= model::limits::kScriptPromiseJobsMax) {
        JS_ReportErrorASCII(context, "too many promise reactions are waiting");
        return false;
    }
    if (jobs_.append(job)) return true;
    JS_ReportOutOfMemory(context);
    return false;
}

void JobQueue::runJobs(JSContext* context) { static_cast<void>(run_all(context)); }

bool JobQueue::empty() const { return next_ == jobs_.length(); }

// Only debuggers call it, and there are none.
js::UniquePtr<JS::JobQueue::SavedJobQueue> JobQueue::saveJobQueue(JSContext* context) {
    JS_ReportErrorASCII(context, "job queues are not saved");
    return nullptr;
}

}  // namespace orrery::script
