// Which generations of the index a partition has: the one that queries use, while the policy
// changes the one that is being built for it, and those whose remains are still to be removed.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "index/path_policy.h"
#include "partition/index_keys.h"
#include "storage/engine.h"

namespace orrery::partition {

struct GenerationRecord {
    GenerationNumber number = 0;
    std::string policy;  // PathPolicy::text()
};

struct BuildingRecord {
    GenerationRecord generation;
    // Items from here on came after building began and are in it from the start.
    Docnum until = 0;
    std::uint64_t items = 0;  // that the partition had then
};

// As it stands on disk under 'MI'.
struct IndexStateRecord {
    GenerationRecord active;
    std::optional<BuildingRecord> building;
    std::vector<GenerationNumber> removing;

    std::string encode() const;
    static Result<IndexStateRecord> decode(std::string_view bytes);
};

// As it stands under 'MP': items below `next` are in the generation that is being built.
struct IndexPosition {
    Docnum next = 0;
    std::uint64_t items = 0;  // built so far

    std::string encode() const;
    static Result<IndexPosition> decode(std::string_view bytes);
};

// Nothing when the partition has never been written to.
Result<std::optional<IndexStateRecord>> read_index_state(const storage::Reader& store);
Result<IndexPosition> read_index_position(const storage::Reader& store);

}  // namespace orrery::partition
