#include "index/terms.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "json/distinct_hash.h"

namespace orrery::index {

namespace {

constexpr PathTree::Node kNode;

bool is_wanted(const PathTree::Node& node) {
    return node.id != 0 || node.slot != PathPolicy::kNoSlot;
}

bool leads_on(const PathTree::Node& node) { return node.below || node.leads_on; }

// A container's hash in its place, and the one it would have at the root, which is the one stored
// in the index: computed together, as far as they are needed.
template <typename Hasher>
class TwoHashes {
public:
    TwoHashes(const Hash128* seed, bool at_root) : has_here_(seed != nullptr), has_root_(at_root) {
        if (has_here_) here_ = Hasher(*seed);
        if (has_root_) root_ = Hasher(json::distinct_root_seed());
    }
    bool any() const { return has_here_ || has_root_; }
    void add(const Hash128& part) {
        if (has_here_) here_.add(part);
        if (has_root_) root_.add(part);
    }
    Hash128 here() const { return here_.hash(); }
    Hash128 root() const { return root_.hash(); }

private:
    bool has_here_;
    bool has_root_;
    Hasher here_;
    Hasher root_;
};

}  // namespace

Result<ShapeId> TermExtractor::extract(std::string_view item_json,
                                       const KeyFrame& frame,
                                       KeyList& keys) {
    frame_ = &frame;
    keys_ = &keys;
    keys.clear();
    shape_.clear();
    slot_bytes_.clear();
    slots_.assign(policy_.slot_count(), {});
    too_many_ = false;

    json::StoredText text(item_json);
    if (!walk_root(text) && !too_many_) {
        return Error(ErrorCode::kCorrupted, "the stored text of an item is corrupted");
    }
    if (computed_ != nullptr) walk_computed(item_json);
    if (too_many_) {
        keys.clear();
        return kNotIndexed;
    }
    add_composites();
    keys.sort();
    std::sort(shape_.begin(), shape_.end());
    return shapes_.id_of(shape_);
}

bool TermExtractor::walk_root(json::StoredText& text) {
    if (!text.expect('{')) return false;
    for (bool first = true; text.ok() && text.peek() != '}'; first = false) {
        if (!first && !text.expect(',')) return false;
        const std::string_view member = name(text);
        if (!text.expect(':')) return false;
        // A computed property hides a stored one of its name.
        const bool hidden = computed_ != nullptr && is_computed(member);
        value(
            text, hidden ? PathTree::kNowhere : tree_.member(PathTree::kRoot, member), nullptr, 1);
    }
    return text.expect('}') && text.at_end();
}

void TermExtractor::walk_computed(std::string_view item_json) {
    for (std::size_t i = 0; i < policy_.computed().size(); ++i) {
        const std::optional<std::string> json = computed_->value_json(item_json, i);
        if (!json) continue;
        json::StoredText text(*json);
        value(text, tree_.member(PathTree::kRoot, policy_.computed()[i].name), nullptr, 1);
    }
}

bool TermExtractor::is_computed(std::string_view name) const {
    const auto& computed = policy_.computed();
    return std::any_of(computed.begin(), computed.end(), [&](const ComputedProperty& property) {
        return property.name == name;
    });
}

Hash128 TermExtractor::value(json::StoredText& text,
                             PathTree::Place place,
                             const Hash128* seed,
                             int depth) {
    if (depth > json::kDepthMax) text.fail();
    if (place == PathTree::kNowhere && seed == nullptr) {
        text.value();
        return {};
    }
    switch (text.peek()) {
        case '{':
            return object(text, place, seed, depth);
        case '[':
            return array(text, place, seed, depth);
        default:
            return scalar(text, place, seed);
    }
}

Hash128 TermExtractor::array(json::StoredText& text,
                             PathTree::Place place,
                             const Hash128* seed,
                             int depth) {
    const PathTree::Node node = place == PathTree::kNowhere ? kNode : tree_.at(place);
    TwoHashes<json::DistinctArray> hashes(seed, is_wanted(node));
    PathTree::Place elements = PathTree::kNowhere;
    text.take('[');
    for (std::size_t index = 0; text.ok() && text.peek() != ']'; ++index) {
        if (index > 0 && !text.expect(',')) break;
        if (index == 0 && leads_on(node)) elements = tree_.element(place);
        const Hash128 element_seed = json::distinct_element_seed(index);
        const Hash128 element =
            value(text, elements, hashes.any() ? &element_seed : nullptr, depth + 1);
        if (hashes.any()) hashes.add(element);
    }
    text.expect(']');
    if (is_wanted(node)) {
        add(node, [&](std::string& out) { encode_container(out, Tag::kArray, hashes.root()); });
    }
    return hashes.here();
}

Hash128 TermExtractor::object(json::StoredText& text,
                              PathTree::Place place,
                              const Hash128* seed,
                              int depth) {
    const PathTree::Node node = place == PathTree::kNowhere ? kNode : tree_.at(place);
    TwoHashes<json::DistinctObject> hashes(seed, is_wanted(node));
    text.take('{');
    for (bool first = true; text.ok() && text.peek() != '}'; first = false) {
        if (!first && !text.expect(',')) break;
        const std::string_view member = name(text);
        const PathTree::Place below =
            leads_on(node) ? tree_.member(place, member) : PathTree::kNowhere;
        const Hash128 member_seed = hashes.any() ? json::distinct_member_seed(member) : Hash128{};
        if (!text.expect(':')) break;
        const Hash128 hash = value(text, below, hashes.any() ? &member_seed : nullptr, depth + 1);
        if (hashes.any()) hashes.add(hash);
    }
    text.expect('}');
    if (is_wanted(node)) {
        add(node, [&](std::string& out) { encode_container(out, Tag::kObject, hashes.root()); });
    }
    return hashes.here();
}

Hash128 TermExtractor::scalar(json::StoredText& text, PathTree::Place place, const Hash128* seed) {
    const std::string_view raw = text.scalar();
    if (raw.empty()) return {};
    if (place != PathTree::kNowhere && is_wanted(tree_.at(place))) {
        add(tree_.at(place), [&](std::string& out) { encode_json_scalar(out, raw, scratch_); });
        if (too_many_) text.fail();
    }
    if (seed == nullptr) return {};
    switch (raw[0]) {
        case 'n':
            return json::distinct_null(*seed);
        case 't':
        case 'f':
            return json::distinct_boolean(raw[0] == 't', *seed);
        case '"':
            return json::distinct_string(json::unquoted(raw, scratch_), *seed);
        default:
            return json::distinct_number(json::Number::parse(raw), *seed);
    }
}

std::string_view TermExtractor::name(json::StoredText& text) {
    const std::string_view quoted = text.string();
    return quoted.empty() ? quoted : json::unquoted(quoted, scratch_);
}

template <typename AppendValue>
void TermExtractor::add(const PathTree::Node& node, AppendValue append_value) {
    if (node.id == 0) {
        const std::size_t at = slot_bytes_.size();
        append_value(slot_bytes_);
        slots_[node.slot] = {.at = at, .size = slot_bytes_.size() - at};
        return;
    }
    if (keys_->size() == kTermsPerItemMax) {
        too_many_ = true;
        return;
    }
    std::string& out = keys_->bytes();
    out.append(frame_->terms);
    append_ordered_varint(out, node.id);
    const std::size_t at = out.size();
    append_value(out);
    if (node.slot != PathPolicy::kNoSlot) {
        slots_[node.slot] = {.at = slot_bytes_.size(), .size = out.size() - at};
        slot_bytes_.append(out, at);
    }
    out.append(frame_->item);
    keys_->end_key();
    if (!node.in_array) shape_.push_back(node.id);
}

void TermExtractor::add_composites() {
    std::string undefined;
    encode_undefined(undefined);
    for (std::size_t i = 0; i < policy_.composites().size(); ++i) {
        std::string& out = keys_->bytes();
        out.append(frame_->composites);
        append_ordered_varint(out, i);
        for (std::size_t part = 0; part < policy_.composites()[i].size(); ++part) {
            const Piece& piece = slots_[policy_.composite_slots()[i][part]];
            const std::string_view found =
                std::string_view(slot_bytes_).substr(piece.at, piece.size);
            append_in_order(
                out, found.empty() ? undefined : found, policy_.composites()[i][part].order);
        }
        out.append(frame_->item);
        keys_->end_key();
    }
}

}  // namespace orrery::index
