#include "index/path_tree.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/check.h"
#include "base/hash.h"

namespace orrery::index {

namespace {

constexpr std::size_t kTableSizeMin = 64;

// Approximate size of the step in an encoded path.
std::size_t step_bytes(std::string_view name, bool element) {
    return element ? 1 : name.size() + 2;
}

Error not_in_policy() {
    return Error(ErrorCode::kCorrupted, "the index lists a path that its policy excludes");
}

}  // namespace

std::string encode_path(const model::IndexPath& path) {
    std::string out;
    for (const model::IndexStep& step : path) {
        append_varint(out, step.element ? 0 : step.name.size() + 1);
        if (!step.element) out.append(step.name);
    }
    return out;
}

Result<model::IndexPath> decode_path(std::string_view bytes) {
    model::IndexPath path;
    ByteReader reader(bytes);
    while (!reader.rest().empty()) {
        const std::uint64_t size = reader.varint();
        model::IndexStep& step = path.emplace_back();
        step.element = size == 0;
        if (!step.element) step.name = reader.take(size - 1);
    }
    if (!reader.ok()) return Error(ErrorCode::kCorrupted, "a stored index path is corrupted");
    return path;
}

PathTree::PathTree(const PathPolicy& policy) : nodes_(1), table_(kTableSizeMin, kNowhere) {
    // Places of the policy keep their numbers.
    for (std::size_t i = 0; i < policy.nodes().size(); ++i) {
        const PathPolicy::Node& rule = policy.nodes()[i];
        if (i > 0) add(rule.parent, rule.step.name, rule.step.element);
        Node& node = nodes_[i].known;
        node.included = rule.included;
        node.below = rule.below;
        node.slot = rule.slot;
    }
}

PathTree::Place PathTree::child(Place from, std::string_view name, bool element) {
    const Node& parent = nodes_[from].known;
    Place place = parent.leads_on ? find(from, name, element) : kNowhere;
    if (place == kNowhere) {
        if (!parent.below) return kNowhere;
        if (!has_room_for(nodes_[from].path_bytes + step_bytes(name, element))) {
            has_unlisted_ = true;
            return kNowhere;
        }
        place = add(from, name, element);
    }
    if (nodes_[place].known.id == 0 && nodes_[place].known.included) list(place);
    return place;
}

PathTree::Place PathTree::find(Place from, std::string_view name, bool element) const {
    return table_[slot_of(from, name, element)];
}

PathTree::Place PathTree::add(Place from, std::string_view name, bool element) {
    const auto place = static_cast<Place>(nodes_.size());
    Entry entry;
    entry.parent = from;
    entry.path_bytes = nodes_[from].path_bytes + step_bytes(name, element);
    entry.element = element;
    entry.name = name;
    entry.known.included = nodes_[from].known.below;
    entry.known.below = nodes_[from].known.below;
    entry.known.in_array = element || nodes_[from].known.in_array;
    nodes_[from].known.leads_on = true;
    nodes_.push_back(std::move(entry));
    if (nodes_.size() * 2 > table_.size()) {
        fill_table(table_.size() * 2);
    } else {
        table_[slot_of(from, name, element)] = place;
    }
    return place;
}

void PathTree::list(Place place) {
    if (!has_room_for(nodes_[place].path_bytes)) {
        has_unlisted_ = true;
        return;
    }
    listed_.push_back(place);
    nodes_[place].known.id = static_cast<PathId>(listed_.size());
}

bool PathTree::has_room_for(std::size_t path_bytes) const {
    return listed_.size() < kPathsMax && path_bytes <= kPathBytesMax;
}

Status PathTree::restore(const model::IndexPath& path, PathId id) {
    Place place = kRoot;
    for (const model::IndexStep& step : path) {
        const Place next = find(place, step.name, step.element);
        if (next == kNowhere && !nodes_[place].known.below) return not_in_policy();
        place = next == kNowhere ? add(place, step.name, step.element) : next;
    }
    Node& node = nodes_[place].known;
    if (!node.included || node.id != 0 || id == 0 || id > kPathsMax) return not_in_policy();
    node.id = id;
    if (listed_.size() < id) listed_.resize(id, kNowhere);
    listed_[id - 1] = place;
    return {};
}

bool PathTree::is_complete() const {
    return std::find(listed_.begin(), listed_.end(), kNowhere) == listed_.end();
}

model::IndexPath PathTree::path(PathId id) const {
    model::IndexPath path;
    for (Place place = listed_[id - 1]; place != kRoot; place = nodes_[place].parent) {
        path.push_back({.name = nodes_[place].name, .element = nodes_[place].element});
    }
    std::reverse(path.begin(), path.end());
    return path;
}

void PathTree::rollback_to(const Savepoint& savepoint) {
    CHECK(savepoint.nodes <= nodes_.size() && savepoint.listed <= listed_.size());
    for (; listed_.size() > savepoint.listed; listed_.pop_back()) {
        nodes_[listed_.back()].known.id = 0;
    }
    for (; nodes_.size() > savepoint.nodes; nodes_.pop_back()) {
        const Entry& entry = nodes_.back();
        table_[slot_of(entry.parent, entry.name, entry.element)] = kNowhere;
    }
    has_unlisted_ = savepoint.has_unlisted;
}

std::size_t PathTree::slot_of(Place from, std::string_view name, bool element) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = murmur3_x64_128(name, from * 2 + (element ? 1 : 0)).h1 & mask;
    for (; table_[slot] != kNowhere; slot = (slot + 1) & mask) {
        const Entry& entry = nodes_[table_[slot]];
        if (entry.parent == from && entry.element == element && entry.name == name) break;
    }
    return slot;
}

void PathTree::fill_table(std::size_t size) {
    table_.assign(size, kNowhere);
    for (Place place = 1; place < nodes_.size(); ++place) {
        const Entry& entry = nodes_[place];
        table_[slot_of(entry.parent, entry.name, entry.element)] = place;
    }
}

}  // namespace orrery::index
