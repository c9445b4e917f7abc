// Promise reactions that wait. They run between callbacks, on the runtime's own account: what a
// script has left behind when it ended is dropped and never meets the next one.

#pragma once

#include <memory>

#include <js/TypeDecls.h>

namespace orrery::script {

class JobQueue {
public:
    // The context's queue from now on, until it is destroyed.
    explicit JobQueue(JSContext* context);
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;
    ~JobQueue();

    // False when a job was stopped from outside (time, memory, abort). What a job throws is
    // nobody's: the service does not report rejected promises either.
    bool run_all();
    void clear();
    // While ignored, new jobs are dropped: nothing ever waits for a promise of a UDF.
    void set_ignored(bool ignored);

private:
    // Derived from the engine's class, which has no type information, so it stays in one file.
    class Jobs;

    JSContext* const context_;
    std::unique_ptr<Jobs> jobs_;
};

}  // namespace orrery::script
