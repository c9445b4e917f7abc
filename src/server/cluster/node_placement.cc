#include "server/cluster/node_placement.h"

#include <algorithm>
#include <array>
#include <map>
#include <thread>
#include <utility>

#include "base/bytes.h"
#include "base/log.h"
#include "service/errors.h"

namespace orrery::server {

Status NodePlacement::expect_here(storage::PartitionId partition) const {
    const auto owner = member_.routing().owner_of(partition);
    if (owner && owner->identity.node == member_.lease()->identity().node) return {};
    return service::elsewhere(partition);
}

Status NodePlacement::cancel_split(const std::vector<storage::PartitionId>& successors) {
    return ranges_->cancel_reservation(successors);
}

std::optional<http::Peer> NodePlacement::find(const std::string& place, bool again) {
    const auto parsed = service::parse_elsewhere(place);
    if (!parsed) return std::nullopt;
    if (!again && !parsed->node.empty()) {
        if (const auto node = member_.routing().node(parsed->node)) {
            if (auto peer = calls_.known_peer_of(*node)) return peer;
        }
    }
    const auto owner = member_.routing().owner_of(parsed->partition);
    auto peer = owner ? calls_.known_peer_of(*owner) : std::nullopt;
    if (again || !peer) bring_up_to_date(parsed->partition);
    return peer;
}

void NodePlacement::bring_up_to_date(storage::PartitionId partition) {
    {
        const std::lock_guard lock(mutex_);
        if (!being_updated_.insert(partition).second) return;
    }
    thread_.post([this, partition] {
        Status done = member_.refresh(partition);
        if (done && !member_.routing().entry_of(partition)) {
            done = member_.place(std::array{partition});
        }
        if (const auto owner = member_.routing().owner_of(partition); done && owner) {
            if (const auto peer = calls_.peer_of(*owner); !peer) done = peer.error().copy();
        }
        if (!done) {
            log::debug("routing_not_current",
                       {{"partition", partition}, {"reason", done.error().message()}});
        }
        const std::lock_guard lock(mutex_);
        being_updated_.erase(partition);
    });
}

Result<std::vector<service::RangeReport>> NodePlacement::reports(
    const catalog::Container& container, std::span<const std::size_t> ranges) {
    struct Share {
        cluster::MemberInfo node;
        std::vector<std::size_t> ranges;
        std::vector<std::size_t> places;  // in the result
    };
    std::map<std::string, Share> shares;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const storage::PartitionId partition = container.ranges[ranges[i]].partition;
        auto owner = member_.routing().owner_of(partition);
        if (!owner) {
            TRY(member_.place(std::array{partition}));
            owner = member_.routing().owner_of(partition);
        }
        if (!owner) return service::elsewhere(partition);
        Share& share = shares[owner->identity.node];
        share.node = *owner;
        share.ranges.push_back(ranges[i]);
        share.places.push_back(i);
    }
    std::vector<service::RangeReport> out(ranges.size());
    for (const auto& [name, share] : shares) {
        const std::string answer =
            TRY(ask(share.node, encode_report_request(container, share.ranges)));
        auto reports = TRY(service::decode_reports(answer));
        if (reports.size() != share.places.size()) {
            return Error(ErrorCode::kUnavailable, "a node's report is incomplete");
        }
        for (std::size_t i = 0; i < reports.size(); ++i)
            out[share.places[i]] = std::move(reports[i]);
    }
    return out;
}

// A node may learn a moment later than others that a partition is its own.
Result<std::string> NodePlacement::ask(const cluster::MemberInfo& node,
                                       const std::string& request) {
    constexpr std::chrono::milliseconds kAnswerTime{10'000};
    constexpr std::chrono::milliseconds kPause{20};
    constexpr int kAttempts = 50;
    for (int attempt = 1;; ++attempt) {
        auto answer = calls_.call(node, "/_node/reports", request, kAnswerTime);
        const bool is_early = !answer && answer.error().code() == ErrorCode::kElsewhere;
        if (!is_early || attempt == kAttempts) return answer;
        std::this_thread::sleep_for(kPause);
    }
}

std::string encode_report_request(const catalog::Container& container,
                                  std::span<const std::size_t> ranges) {
    std::string out = container.rid.text() + '\n';
    for (const std::size_t range : ranges)
        append_varint(out, container.ranges[range].id);
    return out;
}

Result<std::string> answer_report_request(std::string_view request,
                                          const catalog::Catalog& catalog,
                                          const service::RangeReports& reports) {
    const std::size_t line = std::min(request.find('\n'), request.size());
    const auto rid = model::ContainerRid::parse(request.substr(0, line));
    const catalog::ContainerPtr container = rid ? catalog.find_container(*rid) : nullptr;
    if (!container) return service::not_found();
    ByteReader reader(request.substr(std::min(line + 1, request.size())));
    std::string out;
    while (!reader.rest().empty()) {
        const auto id = static_cast<std::uint32_t>(reader.varint());
        const auto range = std::find_if(container->ranges.begin(),
                                        container->ranges.end(),
                                        [&](const auto& one) { return one.id == id; });
        if (range == container->ranges.end()) return service::not_found();
        const auto index = static_cast<std::size_t>(range - container->ranges.begin());
        TRY(reports.of(*container, index)).append_to(out);
    }
    return out;
}

}  // namespace orrery::server
