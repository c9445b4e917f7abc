// A container's compiled indexing policy: which places of an item are indexed, and how composite
// indexes are built. Immutable.
//
// The longer path wins, and of two equal ones `/?` wins over `/*`. id, _ts and the partition key
// are always indexed; _rid, _self, _etag and _attachments only where the policy names them.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/value_encoding.h"
#include "model/container_definition.h"
#include "model/index_path.h"

namespace orrery::index {

// Identifies a path in the keys of one index; 0 is none. Assigned in the order paths first appear.
using PathId = std::uint32_t;

struct CompositePart {
    model::IndexPath path;
    Order order = Order::kAscending;

    bool operator==(const CompositePart&) const = default;
};
using Composite = std::vector<CompositePart>;

using ComputedProperty = model::ComputedProperty;

class PathPolicy {
public:
    static Result<std::shared_ptr<const PathPolicy>> compile(
        const model::ContainerDefinition& definition,
        const std::vector<ComputedProperty>& computed = {});
    // From the result of text().
    static Result<std::shared_ptr<const PathPolicy>> from_text(std::string_view text);

    // Policies with the same text make the same index, however clients wrote them. On disk.
    const std::string& text() const { return text_; }

    // False: nothing is indexed at all (indexingMode none).
    bool enabled() const { return enabled_; }
    // False: items are indexed only when their write requests it.
    bool automatic() const { return automatic_; }
    bool indexes(const model::IndexPath& path) const;
    const std::vector<Composite>& composites() const { return composites_; }
    const std::vector<ComputedProperty>& computed() const { return computed_; }

    // The places that have their own rule, and those leading to them. Node 0 is the root; a parent
    // precedes its children.
    struct Node {
        std::uint32_t parent = 0;
        model::IndexStep step;
        bool included = false;         // the value here is indexed
        bool below = false;            // so are values below, unless another rule applies
        std::uint16_t slot = kNoSlot;  // the composite path that ends here
    };
    static constexpr std::uint16_t kNoSlot = 0xffff;
    const std::vector<Node>& nodes() const { return nodes_; }
    // The slots of each composite index's paths, and the number of slots.
    const std::vector<std::vector<std::uint16_t>>& composite_slots() const {
        return composite_slots_;
    }
    std::size_t slot_count() const { return slot_count_; }

private:
    friend class PolicyCompiler;

    std::string text_;
    bool enabled_ = true;
    bool automatic_ = true;
    std::vector<Composite> composites_;
    std::vector<ComputedProperty> computed_;
    std::vector<Node> nodes_;
    std::vector<std::vector<std::uint16_t>> composite_slots_;
    std::size_t slot_count_ = 0;
};

}  // namespace orrery::index
