// Pending promise reactions. They run between callbacks; those left when a script ends are dropped,
// so that they never affect the next one.

#pragma once

#include <memory>

#include <js/TypeDecls.h>

namespace orrery::script {

class JobQueue {
public:
    // Becomes the context's queue until it is destroyed.
    explicit JobQueue(JSContext* context);
    JobQueue(const JobQueue&) = delete;
    JobQueue& operator=(const JobQueue&) = delete;
    ~JobQueue();

    // False if a job was stopped from outside (time, memory, abort). Exceptions of jobs are
    // ignored: the service does not report rejected promises either.
    bool run_all();
    void clear();
    // While ignored, new jobs are dropped: UDFs cannot wait for promises.
    void set_ignored(bool ignored);

private:
    // Derived from an engine class, which has no type information, so it is confined to one file.
    class Jobs;

    JSContext* const context_;
    std::unique_ptr<Jobs> jobs_;
};

}  // namespace orrery::script
