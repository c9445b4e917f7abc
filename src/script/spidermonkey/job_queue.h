// Promise reactions that wait. They run between callbacks, on the runtime's own account: what a
// script has left behind when it ended is dropped and never meets the next one.

#pragma once

#include <cstddef>

#include <js/GCVector.h>
#include <js/Promise.h>
#include <js/RootingAPI.h>

namespace orrery::script {

class JobQueue final : public JS::JobQueue {
public:
    explicit JobQueue(JSContext* context) : jobs_(context) {}

    // False when a job was stopped from outside (time, memory, abort). What a job throws is
    // nobody's: the service does not report rejected promises either.
    bool run_all(JSContext* context);
    void clear();
    // While ignored, new jobs are dropped: nothing ever waits for a promise of a UDF.
    void set_ignored(bool ignored) { ignored_ = ignored; }

    JSObject* getIncumbentGlobal(JSContext* context) override;
    bool enqueuePromiseJob(JSContext* context,
                           JS::HandleObject promise,
                           JS::HandleObject job,
                           JS::HandleObject allocation_site,
                           JS::HandleObject incumbent_global) override;
    void runJobs(JSContext* context) override;
    bool empty() const override;

protected:
    js::UniquePtr<SavedJobQueue> saveJobQueue(JSContext* context) override;

private:
    JS::PersistentRootedObjectVector jobs_;
    std::size_t next_ = 0;
    bool ignored_ = false;
};

}  // namespace orrery::script
