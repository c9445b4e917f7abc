#include "storage/engine.h"

#include <future>

namespace orrery::storage {

Status PartitionStore::commit(const WriteBatch& batch) {
    // Shared, because done() may still be using it when the result arrives here.
    const auto outcome = std::make_shared<std::promise<Status>>();
    std::future<Status> result = outcome->get_future();
    start_commit(batch, [outcome](Status status) { outcome->set_value(std::move(status)); });
    return result.get();
}

}  // namespace orrery::storage
