#include "cluster/node_list.h"

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.h"

namespace orrery::cluster {

namespace {

constexpr std::string_view kPrefix = "node/";

}  // namespace

Status NodeList::sweep() {
    // Listing costs more than reading, and a node that joins says so. Twice per lease, in case it
    // could not.
    const std::chrono::nanoseconds now = clock_.now();
    if (list_is_due_.exchange(false) || now - listed_at_ >= registration_.cluster().lease / 2) {
        list_is_due_ = true;
        TRY(list());
        list_is_due_ = false;
        listed_at_ = now;
    }
    const NodeRecord own = registration_.record();
    std::vector<std::string> names(unseen_.begin(), unseen_.end());
    for (const auto& [name, record] : nodes_) {
        if (name != own.identity.node) names.push_back(name);
    }
    look_at(names);
    note(own);
    if (unseen_.empty()) return {};
    return Error(ErrorCode::kUnavailable, "node '" + *unseen_.begin() + "' cannot be read");
}

void NodeList::look_at(const std::vector<std::string>& names) {
    std::mutex mutex;
    std::vector<std::pair<std::string, std::optional<NodeRecord>>> found;
    parallel_.run(names.size(), [&](std::size_t i) {
        auto record = observer_.look_at(names[i]);
        if (!record) return;  // it stays as it was
        const std::lock_guard lock(mutex);
        found.emplace_back(names[i], *std::move(record));
    });
    for (auto& [name, record] : found) {
        unseen_.erase(name);
        if (record) {
            note(*std::move(record));
        } else {
            nodes_.erase(name);
            gone_since_.erase(name);
        }
    }
}

Status NodeList::list() {
    const std::string own = registration_.record().identity.node;
    for (const std::string& object : TRY(objects_.list(kPrefix))) {
        const std::string name = object.substr(kPrefix.size());
        if (name != own && !nodes_.contains(name)) unseen_.insert(name);
    }
    return {};
}

void NodeList::note(NodeRecord record) {
    const std::string& name = record.identity.node;
    if (is_live(record.state)) {
        gone_since_.erase(name);
    } else {
        gone_since_.try_emplace(name, clock_.now());
    }
    nodes_.insert_or_assign(name, std::move(record));
}

std::vector<MemberInfo> NodeList::live() const {
    std::vector<MemberInfo> out;
    for (const auto& [name, record] : nodes_) {
        if (!is_live(record.state)) continue;
        out.push_back({record.identity, record.state, record.url, record.node_url});
    }
    return out;
}

void NodeList::forget_old() {
    for (auto at = gone_since_.begin(); at != gone_since_.end();) {
        const std::string name = at->first;
        const bool is_old = clock_.now() - at->second >= kForgetNodeAfter;
        ++at;
        if (!is_old) continue;
        // Only if it is still what was seen last: a node may be joining under this name.
        const auto value = objects_.read(NodeRecord::name(name));
        if (!value || !*value) continue;
        const auto record = NodeRecord::decode((*value)->bytes);
        if (!record || is_live(record->state)) continue;
        if (!objects_.remove(NodeRecord::name(name), (*value)->version)) continue;
        const auto load = objects_.read(LoadRecord::name(name));
        if (load && *load && !objects_.remove(LoadRecord::name(name), (*load)->version)) continue;
        log::info("node_forgotten", {{"node", name}});
        nodes_.erase(name);
        gone_since_.erase(name);
        observer_.forget(name);
    }
}

void NodeList::clear() {
    nodes_.clear();
    unseen_.clear();
    gone_since_.clear();
    list_is_due_ = true;
}

}  // namespace orrery::cluster
