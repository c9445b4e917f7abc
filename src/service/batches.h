// Many operations in one request: a transaction on one partition key, or a bulk of independent
// operations on one partition key range. Both run as one step of the partition's executor, and so
// within one commit.

#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"
#include "model/batch.h"
#include "service/context.h"
#include "service/item_write.h"
#include "service/partitions.h"

namespace orrery::service {

struct BatchOptions {
    bool atomic = true;              // all operations or none
    bool continue_on_error = false;  // bulk only: operations after a failure still run
};

struct BatchResult {
    Result<ItemAnswer> answer;
    double charge = 0;  // its part of the receipt's
};

// One result per operation, in order, or an error if the whole request is refused and nothing was
// done.
using BatchOutcome = Result<std::vector<BatchResult>>;

using BatchCallback = std::function<void(BatchOutcome)>;

class Batches {
public:
    explicit Batches(Partitions& partitions) : partitions_(partitions) {}

    // A transaction needs the request's partition key, a bulk its partition key range or key. Calls
    // `done` once everything is durable or refused, usually on the executor's thread. The context
    // must live until then.
    void run(Context& context,
             const catalog::ContainerPtr& container,
             const std::vector<model::BatchOperation>& operations,
             const BatchOptions& options,
             const BatchCallback& done);

private:
    class Task;
    class Staging;

    Partitions& partitions_;
};

}  // namespace orrery::service
