#include "cluster/member.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/log.h"
#include "cluster/assigner.h"
#include "cluster/assignments.h"
#include "cluster/coordinator.h"
#include "cluster/counts.h"
#include "cluster/host_events.h"
#include "cluster/mirror.h"
#include "cluster/node_list.h"
#include "cluster/observer.h"
#include "cluster/parallel.h"
#include "cluster/periodic_thread.h"
#include "cluster/registration.h"
#include "cluster/trouble.h"

namespace orrery::cluster {

using storage::SharedObjects;

namespace {

// A renewal may fail twice before the lease is over.
constexpr int kRenewalsPerLease = 4;
constexpr int kStepsPerLease = 20;
constexpr std::chrono::nanoseconds kStepMin = std::chrono::milliseconds(20);
constexpr std::chrono::nanoseconds kStepMax = std::chrono::milliseconds(500);
constexpr std::chrono::seconds kLoadReportInterval{10};

std::chrono::nanoseconds step_time(std::chrono::nanoseconds lease) {
    return std::clamp(lease / kStepsPerLease, kStepMin, kStepMax);
}

}  // namespace

// What callbacks of watches may touch, even when the member is gone.
struct Signals {
    std::shared_ptr<Signal> renewing = std::make_shared<Signal>();
    std::shared_ptr<Signal> following = std::make_shared<Signal>();
    std::shared_ptr<Signal> coordinating = std::make_shared<Signal>();
    std::atomic<bool> node_joined = false;
};

struct Member::State {
    State(MemberOptions given,
          SharedObjects& shared,
          const MonotonicClock& monotonic_clock,
          const Clock& wall_clock,
          Random& random,
          PartitionHost& partition_host)
        : options(std::move(given)),
          objects(shared),
          clock(monotonic_clock),
          host(partition_host),
          parallel(options.threads),
          registration(options, objects, clock, wall_clock, random, counts),
          observer(objects, clock, counts),
          mirror(objects, counts),
          assignments(objects, mirror, counts, parallel),
          nodes(objects, clock, registration, observer, parallel),
          assigner({objects, clock, nodes, mirror, assignments, parallel, counts}),
          coordinator({objects, clock, registration, observer, mirror, nodes, assigner, counts}),
          events(options.name, mirror, partition_host) {}

    const MemberOptions options;
    SharedObjects& objects;
    const MonotonicClock& clock;
    PartitionHost& host;
    Counts counts;
    Parallel parallel;
    Registration registration;
    Observer observer;
    Mirror mirror;
    Assignments assignments;
    NodeList nodes;
    Assigner assigner;
    Coordinator coordinator;
    HostEvents events;
    Trouble follow_trouble{"following the assignment"};
    Trouble join_trouble{"joining again"};
    const std::shared_ptr<Signals> signals = std::make_shared<Signals>();
    bool cluster_is_open = false;
    std::atomic<bool> is_lost = false;
    std::atomic<double> load = 0;
    // Of the thread that follows.
    bool host_knows_of_loss = false;
    std::optional<std::chrono::nanoseconds> loads_reported_at;

    std::mutex mutex;  // guards what follows
    std::condition_variable changed;
    std::set<PartitionId> acquired;
    bool stopping = false;

    std::vector<SharedObjects::Watch> watches;
    std::unique_ptr<PeriodicThread> renewing;
    std::unique_ptr<PeriodicThread> following;
    std::unique_ptr<PeriodicThread> coordinating;
};

Member::Member(MemberOptions options,
               SharedObjects& objects,
               const MonotonicClock& clock,
               const Clock& wall_clock,
               Random& random,
               PartitionHost& host)
    : state_(
          std::make_unique<State>(std::move(options), objects, clock, wall_clock, random, host)) {}

Member::~Member() { stop(); }

Result<bool> Member::join_once() {
    State& my = *state_;
    if (!my.cluster_is_open) {
        TRY(check_node_name(my.options.name));
        TRY(my.registration.open_cluster());
        my.observer.set_lease(my.registration.cluster().lease);
        // So that it can be watched.
        const auto created = my.objects.write(
            ChangesRecord::kName, ChangesRecord{}.encode(), SharedObjects::kAbsent);
        if (!created && created.error().code() != ErrorCode::kPreconditionFailed)
            return created.error().copy();
        my.cluster_is_open = true;
    }
    if (TRY(my.registration.join()) == Registration::Join::kWaiting) return false;
    my.is_lost = false;
    // A hint, and there is no coordinator yet if this node is the first.
    static_cast<void>(my.objects.notify(CoordinatorRecord::kName));
    return true;
}

Status Member::start() {
    State& my = *state_;
    std::optional<std::chrono::nanoseconds> failing_since;
    while (true) {
        const auto joined = join_once();
        if (joined && *joined) break;
        const std::chrono::nanoseconds now = my.clock.now();
        if (!joined) {
            if (!has_unknown_outcome(joined.error())) return joined.error().copy();
            if (!failing_since) failing_since = now;
            if (now - *failing_since >= my.options.lease) return joined.error().copy();
        }
        std::unique_lock lock(my.mutex);
        my.changed.wait_for(lock, step_time(my.options.lease), [&my] { return my.stopping; });
        if (my.stopping) return Error(ErrorCode::kUnavailable, "stopped while joining the cluster");
    }
    // The first node finds everything in place when this returns.
    coordinate_once();
    follow_once();
    start_threads();
    return {};
}

void Member::start_threads() {
    State& my = *state_;
    const std::chrono::nanoseconds lease = my.registration.cluster().lease;
    const std::chrono::nanoseconds step = step_time(lease);
    my.renewing = std::make_unique<PeriodicThread>(my.signals->renewing, [this, lease, step] {
        return renew_once() ? lease / kRenewalsPerLease : step;
    });
    my.following = std::make_unique<PeriodicThread>(my.signals->following, [this, step] {
        follow_once();
        return step;
    });
    my.coordinating = std::make_unique<PeriodicThread>(my.signals->coordinating, [this, step] {
        coordinate_once();
        return step;
    });
    const auto watch = [&my](std::string_view name, std::function<void()> on_notify) {
        auto watching = my.objects.watch(name, std::move(on_notify));
        if (watching) {
            my.watches.push_back(*std::move(watching));
        } else {
            // Polling is enough, only slower.
            log::warn("watch_failed", {{"object", name}, {"reason", watching.error().message()}});
        }
    };
    watch(ChangesRecord::kName, [signals = my.signals] { signals->following->wake(); });
    watch(CoordinatorRecord::kName, [signals = my.signals] {
        signals->node_joined = true;
        signals->coordinating->wake();
    });
}

void Member::stop() {
    State& my = *state_;
    {
        const std::lock_guard lock(my.mutex);
        my.stopping = true;
    }
    my.changed.notify_all();
    my.watches.clear();
    my.coordinating.reset();
    my.following.reset();
    my.renewing.reset();
}

Status Member::leave(std::chrono::milliseconds timeout) {
    State& my = *state_;
    const auto has_others = [this, &my] {
        const auto nodes = routing().nodes();
        return std::any_of(nodes.begin(), nodes.end(), [&my](const MemberInfo& node) {
            return node.state == NodeState::kAlive && node.identity.node != my.options.name;
        });
    };
    const auto begun = my.clock.now();
    bool in_time = true;
    if (has_others()) {
        TRY(my.registration.set_draining(true));
        my.signals->coordinating->wake();
        in_time = wait_until(begun + timeout, [&] {
            return !has_others() || my.is_lost ||
                   (routing().entries_of(my.options.name).empty() && my.acquired.empty());
        });
    }
    my.coordinating.reset();
    my.following.reset();
    my.events.revoke_all();
    in_time = in_time && wait_until(begun + timeout, [&] { return my.acquired.empty(); });
    stop();
    if (!in_time) return Error(ErrorCode::kTimeout, "not all partitions were released in time");
    return my.registration.leave();
}

bool Member::wait_until(std::chrono::nanoseconds deadline, const std::function<bool()>& condition) {
    State& my = *state_;
    std::unique_lock lock(my.mutex);
    while (!condition()) {
        if (my.clock.now() >= deadline || my.stopping) return false;
        my.changed.wait_for(lock, kStepMin);
    }
    return true;
}

bool Member::renew_once() {
    State& my = *state_;
    if (my.is_lost) return false;
    std::size_t acquired = 0;
    {
        const std::lock_guard lock(my.mutex);
        acquired = my.acquired.size();
    }
    const Registration::Renewal renewal = my.registration.renew(acquired, my.load);
    if (renewal == Registration::Renewal::kLost) {
        my.is_lost = true;
        my.signals->following->wake();
    }
    return renewal == Registration::Renewal::kRenewed;
}

void Member::follow_once() {
    State& my = *state_;
    if (my.is_lost) {
        rejoin_once();
        return;
    }
    Status followed = my.mirror.follow();
    my.events.tell();
    if (followed) followed = my.mirror.announce();
    if (followed) followed = report_loads();
    my.follow_trouble.note(followed);
}

void Member::rejoin_once() {
    State& my = *state_;
    if (!my.host_knows_of_loss) {
        my.host.lost();
        my.events.forget_all();
        const std::lock_guard lock(my.mutex);
        my.acquired.clear();
        my.host_knows_of_loss = true;
    }
    const auto joined = join_once();
    my.join_trouble.note(joined ? Status() : Status(joined.error().copy()));
    my.host_knows_of_loss = my.is_lost;
}

Status Member::report_loads() {
    State& my = *state_;
    const std::chrono::nanoseconds now = my.clock.now();
    if (my.loads_reported_at && now - *my.loads_reported_at < kLoadReportInterval) return {};
    LoadRecord report{lease()->identity().incarnation, my.host.loads()};
    std::sort(report.partitions.begin(), report.partitions.end(), [](const auto& a, const auto& b) {
        return a.partition < b.partition;
    });
    double sum = 0;
    for (const PartitionLoad& partition : report.partitions)
        sum += partition.load;
    my.load = sum;
    TRY(edit_object<LoadRecord>(my.objects,
                                LoadRecord::name(my.options.name),
                                my.counts,
                                [&](LoadRecord& record) -> Result<bool> {
                                    if (record == report) return false;
                                    record = report;
                                    return true;
                                }));
    my.loads_reported_at = now;
    return {};
}

void Member::coordinate_once() {
    State& my = *state_;
    if (my.signals->node_joined.exchange(false)) my.nodes.expect_new_nodes();
    const std::uint64_t revision = my.mirror.revision();
    my.coordinator.step();
    if (my.mirror.revision() != revision) my.signals->following->wake();
}

std::shared_ptr<const Lease> Member::lease() const { return state_->registration.lease(); }

const Routing& Member::routing() const { return state_->mirror.routing(); }

const ClusterRecord& Member::cluster() const { return state_->registration.cluster(); }

bool Member::is_coordinator() const { return state_->coordinator.is_coordinator(); }

Result<bool> Member::is_gone(const Identity& owner) { return state_->observer.is_gone(owner); }

Status Member::refresh(PartitionId partition) {
    State& my = *state_;
    my.counts.add(&MemberCounts::refreshes);
    TRY(my.mirror.read(shard_of(partition)));
    my.signals->following->wake();
    return {};
}

Status Member::place(std::span<const PartitionId> partitions, std::string_view preferred) {
    State& my = *state_;
    std::vector<std::string> names;
    std::vector<PlacementNode> nodes;
    std::vector<std::size_t> counts;
    bool takes_preferred = false;
    auto has = routing().partitions_per_node();
    for (const MemberInfo& node : routing().nodes()) {
        const bool accepts = node.state == NodeState::kAlive;
        takes_preferred = takes_preferred || (accepts && node.identity.node == preferred);
        nodes.push_back({.accepts = accepts});
        counts.push_back(has[node.identity.node]);
        names.push_back(node.identity.node);
    }
    // Before the coordinator has listed any node, this one is the only one known.
    if (names.empty()) {
        names.push_back(my.options.name);
        nodes.emplace_back();
        counts.push_back(0);
    }
    const auto chosen = spread(nodes, std::move(counts), partitions.size());
    std::vector<AssignmentEntry> entries;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        entries.push_back(
            {partitions[i], takes_preferred ? std::string(preferred) : names[chosen[i]], {}});
    }
    TRY(my.assignments.add(entries));
    my.counts.add(&MemberCounts::placements, partitions.size());
    my.signals->following->wake();
    return {};
}

Status Member::remove(std::span<const PartitionId> partitions) {
    TRY(state_->assignments.remove(partitions));
    state_->signals->following->wake();
    return {};
}

Status Member::hand_over(std::span<const PartitionId> partitions) {
    State& my = *state_;
    TRY(my.assignments.hand_over(my.options.name, partitions));
    my.counts.add(&MemberCounts::handovers, partitions.size());
    my.signals->following->wake();
    return {};
}

void Member::acquired(PartitionId partition) {
    State& my = *state_;
    const std::lock_guard lock(my.mutex);
    if (!my.acquired.insert(partition).second) return;
    log::info("partition_acquired", {{"partition", partition}, {"owner", lease()->owner()}});
}

void Member::released(PartitionId partition) {
    State& my = *state_;
    {
        const std::lock_guard lock(my.mutex);
        if (my.acquired.erase(partition) == 0) return;
    }
    my.changed.notify_all();
    log::info("partition_released", {{"partition", partition}, {"owner", lease()->owner()}});
}

Status Member::drain(std::string_view node, bool drained) {
    State& my = *state_;
    if (node == my.options.name) return my.registration.set_draining(drained);
    TRY(edit_object<NodeRecord>(
        my.objects, NodeRecord::name(node), my.counts, [&](NodeRecord& record) -> Result<bool> {
            if (record.identity.node != node || !is_live(record.state)) {
                return Error(ErrorCode::kNotFound,
                             "no node '" + std::string(node) + "' is in the cluster");
            }
            const NodeState wanted = drained ? NodeState::kDraining : NodeState::kAlive;
            return std::exchange(record.state, wanted) != wanted;
        }));
    log::info(drained ? "node_draining" : "node_not_draining", {{"node", node}});
    return {};
}

Result<ClusterDescription> Member::describe() {
    State& my = *state_;
    ClusterDescription out;
    out.id = cluster().id;
    out.lease = cluster().lease;
    const auto coordinator = TRY(my.objects.read(CoordinatorRecord::kName));
    if (coordinator) out.coordinator = TRY(CoordinatorRecord::decode(coordinator->bytes));
    auto assigned = routing().partitions_per_node();
    for (const std::string& object : TRY(my.objects.list(NodeRecord::name("")))) {
        const auto value = TRY(my.objects.read(object));
        if (!value) continue;
        NodeDescription node;
        node.record = TRY(NodeRecord::decode(value->bytes));
        node.assigned = assigned[node.record.identity.node];
        const auto age = my.observer.age_of(node.record.identity.node);
        if (age) node.lease_age = std::chrono::duration_cast<std::chrono::milliseconds>(*age);
        out.nodes.push_back(std::move(node));
    }
    out.partitions = routing().partition_count();
    out.moves = routing().moves();
    return out;
}

MemberStats Member::stats() const {
    const State& my = *state_;
    MemberStats out;
    out.counts = my.counts.read();
    out.lease_remaining = lease()->remaining();
    out.coordinator = is_coordinator();
    out.nodes = routing().nodes().size();
    out.partitions = routing().partition_count();
    out.assigned = routing().entries_of(my.options.name).size();
    out.moves = routing().moves().size();
    const std::lock_guard lock(state_->mutex);
    out.acquired = my.acquired.size();
    return out;
}

}  // namespace orrery::cluster
