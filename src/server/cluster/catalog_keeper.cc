#include "server/cluster/catalog_keeper.h"

#include <vector>

#include "base/guarded.h"
#include "base/log.h"

namespace orrery::server {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPause{50};
constexpr milliseconds kAnswerTime{5'000};

}  // namespace

CatalogKeeper::~CatalogKeeper() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

Status CatalogKeeper::wait_until_ready(milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, patience, [this] { return ready_; })) return {};
    return Error(ErrorCode::kTimeout,
                 "no node of the cluster has the catalog; are all that run reachable?");
}

Status CatalogKeeper::attach(catalog::Catalog& catalog, std::function<void()> on_change) {
    {
        const std::lock_guard lock(mutex_);
        catalog_ = &catalog;
        on_change_ = std::move(on_change);
    }
    return catalog.reload();
}

void CatalogKeeper::set_assigned(bool assigned) {
    {
        const std::lock_guard lock(mutex_);
        assigned_ = assigned;
    }
    changed_.notify_all();
}

void CatalogKeeper::give_up() {
    set_assigned(false);
    dependencies_.replica.follow();
}

void CatalogKeeper::run() {
    while (true) {
        {
            const std::lock_guard lock(mutex_);
            if (stopping_) return;
        }
        const Status done = run_guarded("keeping the catalog", [this] { return step(); });
        if (!done) {
            log::debug("catalog_not_current", {{"reason", done.error().message()}});
            pause(kPause);
        }
    }
}

void CatalogKeeper::pause(milliseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [this] { return stopping_; });
}

Status CatalogKeeper::step() {
    bool assigned = false;
    {
        const std::lock_guard lock(mutex_);
        assigned = assigned_;
    }
    // Before the leader is told that this node has the newest update.
    if (outdated_) return took_over();
    if (!assigned) return follow();
    if (!dependencies_.replica.is_leading()) return lead();
    TRY(place_new());
    pause(kPause);
    return {};
}

Status CatalogKeeper::lead() {
    auto partition = TRY(dependencies_.engine.open(storage::kCatalogPartition));
    const auto owner = TRY(dependencies_.owned.owner_of(storage::kCatalogPartition));
    const std::uint64_t term = owner ? owner->epoch : 0;
    cluster::Member& member = dependencies_.member;
    dependencies_.replica.lead(std::move(partition), term, [&member] {
        std::vector<std::string> names;
        for (cluster::MemberInfo& node : member.routing().nodes()) {
            if (node.identity.node != member.lease()->identity().node) {
                names.push_back(std::move(node.identity.node));
            }
        }
        return names;
    });
    log::info("catalog_led_here", {{"term", term}});
    return took_over();
}

Status CatalogKeeper::follow() {
    const auto leader = dependencies_.member.routing().owner_of(storage::kCatalogPartition);
    const std::string& self = dependencies_.member.lease()->identity().node;
    if (!leader || leader->identity.node == self) {
        pause(kPause);
        return {};
    }
    const CatalogReplica::Place place = dependencies_.replica.place();
    const std::string target = "/_node/catalog?term=" + std::to_string(place.term) +
                               "&commits=" + std::to_string(place.commits);
    auto update = dependencies_.calls.call(*leader, target, {}, kAnswerTime);
    if (!update && update.error().code() == ErrorCode::kElsewhere) {
        TRY(dependencies_.member.refresh(storage::kCatalogPartition));
    }
    if (!TRY(dependencies_.replica.apply(TRY(std::move(update))))) return {};
    return took_over();
}

// The replica has other content now.
Status CatalogKeeper::took_over() {
    catalog::Catalog* catalog = nullptr;
    std::function<void()> on_change;
    {
        const std::lock_guard lock(mutex_);
        catalog = catalog_;
        on_change = on_change_;
        ready_ = true;
    }
    changed_.notify_all();
    if (catalog == nullptr) return {};
    outdated_ = true;
    TRY(catalog->reload());
    outdated_ = false;
    on_change();
    return {};
}

// Partitions of new containers, before anybody asks for them.
Status CatalogKeeper::place_new() {
    catalog::Catalog* catalog = nullptr;
    {
        const std::lock_guard lock(mutex_);
        catalog = catalog_;
    }
    if (catalog == nullptr || catalog->edition() == placed_edition_) return {};
    const std::uint64_t edition = catalog->edition();
    std::vector<storage::PartitionId> missing;
    for (const catalog::ContainerPtr& container : catalog->all_containers()) {
        for (const catalog::PartitionRange& range : container->ranges) {
            if (!dependencies_.member.routing().entry_of(range.partition)) {
                missing.push_back(range.partition);
            }
        }
    }
    if (!missing.empty()) TRY(dependencies_.member.place(missing));
    placed_edition_ = edition;
    return {};
}

}  // namespace orrery::server
