// The index generations of a partition: the one that queries use, the one being built after a
// policy change, and those being removed.

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
    // Items from here on are newer than the build and are added when written.
    Docnum until = 0;
    std::uint64_t items = 0;  // in the partition when building began
};

// Stored under 'MI'.
struct IndexStateRecord {
    GenerationRecord active;
    std::optional<BuildingRecord> building;
    std::vector<GenerationNumber> removing;

    std::string encode() const;
    static Result<IndexStateRecord> decode(std::string_view bytes);
};

// Stored under 'MP': items below `next` are in the generation being built.
struct IndexPosition {
    Docnum next = 0;
    std::uint64_t items = 0;  // built so far

    std::string encode() const;
    static Result<IndexPosition> decode(std::string_view bytes);
};

// nullopt if the partition has never been written to.
Result<std::optional<IndexStateRecord>> read_index_state(const storage::Reader& store);
Result<IndexPosition> read_index_position(const storage::Reader& store);

}  // namespace orrery::partition
