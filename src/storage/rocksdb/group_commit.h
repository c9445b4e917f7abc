// The commits that wait while another is being written, so that many partitions share one log
// record and one sync without a thread each.
//
// One thread leads at a time: it writes a group, and then either passes the lead on, if commits
// have come meanwhile, or gives it up.

#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include <rocksdb/write_batch.h>

#include "base/result.h"

namespace orrery::storage {

class GroupCommit {
public:
    using Done = std::function<void(Status)>;
    struct Commit {
        rocksdb::WriteBatch batch;
        Done done;
    };
    using Group = std::vector<Commit>;

    // Makes the caller the leader of its own commit if nobody leads. Otherwise the commit waits for
    // the leader, and the caller has nothing more to do.
    std::optional<Group> lead_with(Commit commit);

    // Call after writing a group: true if there are commits to write, and the caller still leads.
    bool lead_on();

    // The commits to write next; at least one. Only for the leader, after lead_on().
    Group next_group();

private:
    std::mutex mutex_;
    bool led_ = false;
    Group waiting_;
};

// One batch with the changes of all, in order. The group must not be empty; its batches are used
// up.
rocksdb::WriteBatch merge(GroupCommit::Group& group);

}  // namespace orrery::storage
