#include "cluster/registration.h"

#include <utility>

#include "base/bytes.h"
#include "base/log.h"
#include "cluster/shared_edit.h"

namespace orrery::cluster {

using storage::SharedObjects;

namespace {

constexpr std::size_t kSecretBytes = 32;
// Attempts of writes that nobody else should be in the way of.
constexpr int kAttempts = 8;

Incarnation new_incarnation(Random& random) {
    const std::string bytes = random.bytes(sizeof(Incarnation));
    return std::max<Incarnation>(1, ByteReader(bytes).big_endian<Incarnation>());
}

ClusterRecord new_cluster(const MemberOptions& options, const Clock& clock, Random& random) {
    ClusterRecord record;
    record.id = GuidSequence(random).next();
    record.secret = random.bytes(kSecretBytes);
    record.lease = options.lease;
    record.created_at = clock.now_seconds();
    return record;
}

}  // namespace

Registration::Registration(const MemberOptions& options,
                           SharedObjects& objects,
                           const MonotonicClock& clock,
                           const Clock& wall_clock,
                           Random& random,
                           Counts& counts)
    : options_(options),
      objects_(objects),
      clock_(clock),
      wall_clock_(wall_clock),
      random_(random),
      counts_(counts),
      object_(NodeRecord::name(options.name)),
      lease_(std::make_shared<Lease>(clock, Identity{options.name, 0})) {}

Status Registration::open_cluster() {
    // Whoever is first creates it; the others then read what was created.
    for (int i = 0; i < kAttempts; ++i) {
        const auto value = TRY(objects_.read(ClusterRecord::kName));
        if (value) {
            cluster_ = TRY(ClusterRecord::decode(value->bytes));
            return {};
        }
        const auto created = objects_.write(ClusterRecord::kName,
                                            new_cluster(options_, wall_clock_, random_).encode(),
                                            SharedObjects::kAbsent);
        if (created) log::info("cluster_created", {{"lease_ms", options_.lease.count()}});
    }
    return Error(ErrorCode::kUnavailable, "the cluster's object can be neither read nor created");
}

Result<Registration::Join> Registration::join() {
    const std::lock_guard writing(writing_);
    const auto value = TRY(objects_.read(object_));
    if (!value) return take_name(SharedObjects::kAbsent);
    const NodeRecord other = TRY(NodeRecord::decode(value->bytes));
    if (!is_live(other.state) || is_over(other)) return take_name(value->version);
    if (other_->renewals == other.renewals) return Join::kWaiting;
    other_.reset();
    return Error(ErrorCode::kConflict,
                 "a node with the name '" + options_.name + "' is running (" + other.node_url +
                     "): give each node of a cluster a name of its own");
}

// Like any observer, except that a change of the counter is kept for the caller to see.
bool Registration::is_over(const NodeRecord& other) {
    if (!other_ || other_->identity != other.identity) {
        other_ = Other{other.identity, other.renewals, clock_.now()};
        log::info("waiting_for_lease",
                  {{"node", options_.name},
                   {"incarnation", incarnation_text(other.identity.incarnation)},
                   {"lease_ms", cluster_.lease.count()}});
    }
    return other_->renewals == other.renewals && clock_.now() - other_->since >= cluster_.lease;
}

Result<Registration::Join> Registration::take_name(Version expected) {
    NodeRecord record;
    record.identity = {options_.name, new_incarnation(random_)};
    record.url = options_.url;
    record.node_url = options_.node_url;
    record.renewals = 1;
    record.started_at = wall_clock_.now_seconds();
    record.weight = options_.weight;
    const std::chrono::nanoseconds sent_at = clock_.now();
    const auto written = objects_.write(object_, record.encode(), expected);
    if (!written) {
        counts_.add(&MemberCounts::errors);
        // Another process was faster, or this one was and does not know: if so, its object is
        // never renewed, and the name is free again when that lease is over.
        if (written.error().code() == ErrorCode::kPreconditionFailed) return Join::kWaiting;
        return written.error().copy();
    }
    version_ = *written;
    version_is_known_ = true;
    lapse_is_noted_ = false;
    other_.reset();
    {
        const std::lock_guard lock(mutex_);
        record_ = record;
        lease_ = std::make_shared<Lease>(clock_, record.identity);
    }
    extend_lease(sent_at);
    log::info("joined_cluster",
              {{"node", options_.name},
               {"incarnation", incarnation_text(record.identity.incarnation)},
               {"cluster", cluster_.id}});
    return Join::kJoined;
}

Registration::Renewal Registration::renew(std::uint64_t partitions, double load) {
    const std::lock_guard writing(writing_);
    note_lapse();
    // Twice: the second time with the version that another node's change has left.
    for (int attempt = 0; attempt < 2; ++attempt) {
        if (!version_is_known_) {
            const auto found = adopt();
            if (!found) break;
            if (*found != Found::kLive) {
                lose(*found);
                return Renewal::kLost;
            }
        }
        NodeRecord next = record();
        ++next.renewals;
        next.partitions = partitions;
        next.load = load;
        // The lease counts from before the renewal is sent: observers may see it at any time from
        // then on.
        const std::chrono::nanoseconds sent_at = clock_.now();
        const auto written = objects_.write(object_, next.encode(), version_);
        if (written) {
            version_ = *written;
            {
                const std::lock_guard lock(mutex_);
                record_ = next;
            }
            extend_lease(sent_at);
            counts_.add(&MemberCounts::renewals);
            return Renewal::kRenewed;
        }
        // Whether it was applied is not known: read before anything is concluded.
        version_is_known_ = false;
        if (written.error().code() != ErrorCode::kPreconditionFailed) break;
    }
    counts_.add(&MemberCounts::renewal_failures);
    return Renewal::kFailed;
}

Result<Registration::Found> Registration::adopt() {
    const auto value = TRY(objects_.read(object_));
    if (!value) return Found::kNothing;
    const NodeRecord found = TRY(NodeRecord::decode(value->bytes));
    if (found.identity != lease_->identity()) return Found::kOther;
    if (!is_live(found.state)) return Found::kEnded;
    version_ = value->version;
    version_is_known_ = true;
    const std::lock_guard lock(mutex_);
    record_ = found;
    return Found::kLive;
}

void Registration::lose(Found found) {
    const std::string_view reason = found == Found::kEnded   ? "declared dead"
                                    : found == Found::kOther ? "its name was taken"
                                                             : "its object was removed";
    lease_->until_.store(INT64_MIN, std::memory_order_release);
    counts_.add(&MemberCounts::incarnations_lost);
    log::error("lease_lost", {{"owner", lease_->owner()}, {"reason", reason}});
}

void Registration::extend_lease(std::chrono::nanoseconds sent_at) {
    if (lapse_is_noted_) log::info("lease_regained", {{"owner", lease_->owner()}});
    lapse_is_noted_ = false;
    const std::chrono::nanoseconds until = sent_at + usable_time(cluster_.lease);
    lease_->until_.store(until.count(), std::memory_order_release);
}

void Registration::note_lapse() {
    if (lapse_is_noted_ || lease_->held()) return;
    lapse_is_noted_ = true;
    counts_.add(&MemberCounts::lease_lapses);
    log::warn("lease_lapsed", {{"owner", lease_->owner()}});
}

Status Registration::set_draining(bool draining) {
    const std::lock_guard writing(writing_);
    for (int i = 0; i < kAttempts; ++i) {
        if (!version_is_known_ && TRY(adopt()) != Found::kLive)
            return Error(ErrorCode::kFenced, "this node is not in the cluster anymore");
        NodeRecord next = record();
        next.state = draining ? NodeState::kDraining : NodeState::kAlive;
        if (next.state == record().state) return {};
        const auto written = objects_.write(object_, next.encode(), version_);
        version_is_known_ = written.operator bool();
        if (!written) continue;
        version_ = *written;
        const std::lock_guard lock(mutex_);
        record_ = next;
        return {};
    }
    return Error(ErrorCode::kUnavailable, "this node's state cannot be written");
}

Status Registration::leave() {
    const std::lock_guard writing(writing_);
    // From here on this node must not answer, whatever becomes of the write.
    lease_->until_.store(INT64_MIN, std::memory_order_release);
    lapse_is_noted_ = true;
    for (int i = 0; i < kAttempts; ++i) {
        if (!version_is_known_ && TRY(adopt()) != Found::kLive) return {};  // dead, or left by now
        NodeRecord next = record();
        next.state = NodeState::kLeft;
        next.partitions = 0;
        next.load = 0;
        const auto written = objects_.write(object_, next.encode(), version_);
        version_is_known_ = false;
        if (!written) continue;
        log::info("left_cluster", {{"owner", lease_->owner()}});
        return {};
    }
    return Error(ErrorCode::kUnavailable, "this node's state cannot be written");
}

std::shared_ptr<const Lease> Registration::lease() const {
    const std::lock_guard lock(mutex_);
    return lease_;
}

NodeRecord Registration::record() const {
    const std::lock_guard lock(mutex_);
    return record_;
}

}  // namespace orrery::cluster
