#include "storage/engine.h"

#include <utility>

#include "base/wait_for.h"

namespace orrery::storage {

Status PartitionStore::commit(const WriteBatch& batch) {
    return wait_for<Status>([&](auto done) { start_commit(batch, std::move(done)); });
}

}  // namespace orrery::storage
