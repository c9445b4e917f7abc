// Many operations in one request: a transaction on one partition key, or a bulk of independent
// operations on one partition key range. Either is one step of the partition's executor, and so
// part of one commit.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "catalog/resources.h"
#include "model/batch.h"
#include "service/item_target.h"
#include "service/item_write.h"
#include "service/partitions.h"
#include "service/request.h"

namespace orrery::service {

struct BatchOptions {
    bool atomic = true;              // all operations or none
    bool continue_on_error = false;  // of a bulk: what comes after a failure is done all the same
};

struct BatchOutcome {
    // One for each operation, in their order. Or why the request as a whole is refused: nothing has
    // been done then.
    Result<std::vector<Result<ItemAnswer>>> results;
    std::optional<Position> position;
};

using BatchCallback = std::function<void(BatchOutcome)>;

class Batches {
public:
    explicit Batches(Partitions& partitions) : partitions_(partitions) {}

    // A transaction needs the request's partition key, a bulk its partition key range or key.
    // Answers through the callback, on the executor's thread, when all is durable or refused.
    void run(const Request& request,
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
