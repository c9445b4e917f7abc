// The catalog's store on the nodes of a cluster. On the node that has the catalog's partition (the
// leader) it is that partition; on the others it is a copy in memory, which refuses changes with
// kElsewhere.
//
// Copies are never behind what anybody was told: the leader reports a change as done only when
// every live node has taken it over. A node that does not is out of the cluster once its lease has
// ended, and then answers nothing (docs/adr/0043-cluster-nodes.md).

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"

namespace orrery::server {

class CatalogReplica final : public storage::PartitionStore {
public:
    // How far a copy is. Places of different terms cannot be compared.
    struct Place {
        std::uint64_t term = 0;
        std::uint64_t commits = 0;

        bool operator==(const Place&) const = default;
    };

    CatalogReplica();
    CatalogReplica(const CatalogReplica&) = delete;
    CatalogReplica& operator=(const CatalogReplica&) = delete;
    // Ends what waits: changes with kTimeout, followers with kUnavailable.
    ~CatalogReplica() override;

    // The partition is here from now on. The term must be higher than those of all leaders before.
    // `followers` names the other live nodes. It must not block.
    void lead(std::shared_ptr<storage::PartitionStore> partition,
              std::uint64_t term,
              std::function<std::vector<std::string>()> followers);
    // It is not any more. What was read before stays readable until an update is applied. Changes
    // that are waiting for followers fail with kTimeout.
    void follow();
    bool is_leading() const;
    // Others can reach this node from now on. Until then changes do not wait for them: nobody has
    // been told anything by this node, and the only change is the creation of the catalog.
    void begin_serving();

    // For the leader: what a follower that is at `from` lacks. Calls back at once if there is
    // anything, otherwise when there is, or after a while. This also tells that the follower has
    // taken over everything before `from`. kElsewhere if this node is not the leader.
    using Deliver = std::function<void(Result<std::string> update)>;
    void next_update(const std::string& follower, const Place& from, Deliver deliver);

    // For a follower: takes over an update. Returns whether anything has changed.
    Result<bool> apply(std::string_view update);
    Place place() const;

    Result<bool> get(std::string_view key, std::string& value) const override;
    Result<std::vector<std::optional<std::string>>> get_many(
        std::span<const std::string> keys) const override;
    std::unique_ptr<storage::Cursor> scan(const storage::Range& range,
                                          storage::Direction direction) const override;
    std::shared_ptr<const storage::Reader> snapshot() const override;
    void start_commit(const storage::WriteBatch& batch, Done done) override;

private:
    struct Poll {
        std::string follower;
        Place from;
        std::chrono::steady_clock::time_point until;
        Deliver deliver;
    };
    struct Pending {
        std::uint64_t number = 0;
        Done done;
    };
    struct Follower {
        Place place;
        std::chrono::steady_clock::time_point heard_of;
        bool was_live = false;  // it has been in the list of live nodes
    };
    using Calls = std::vector<std::function<void()>>;

    std::shared_ptr<storage::PartitionStore> store() const;
    void committed(std::string operations, Done done);
    // These require the mutex. Callbacks are collected, to be called without it.
    void answer_polls(Calls& calls, std::chrono::steady_clock::time_point now);
    void end_pending(Calls& calls, std::chrono::steady_clock::time_point now);
    void stop_leading(Calls& calls);
    bool is_taken_over(std::uint64_t number, std::chrono::steady_clock::time_point now);
    Result<std::string> update_for(const Place& from) const;
    void run();

    mutable std::mutex mutex_;  // guards the members below
    std::shared_ptr<storage::PartitionStore> store_;
    bool leading_ = false;
    bool serving_ = false;
    Place place_;
    std::function<std::vector<std::string>()> followers_;
    std::map<std::string, Follower> known_followers_;
    std::deque<std::string> recent_;  // the operations of the last commits
    std::list<Poll> polls_;
    std::list<Pending> pending_;
    std::condition_variable changed_;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace orrery::server
