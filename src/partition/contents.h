// What a partition's store holds and how much room each part takes, for `orrery inspect`.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "storage/engine.h"

namespace orrery::partition {

// Of keys and values, before compression.
struct Extent {
    std::uint64_t entries = 0;
    std::uint64_t bytes = 0;

    void add(std::uint64_t size) {
        ++entries;
        bytes += size;
    }
    void add(const Extent& other) {
        entries += other.entries;
        bytes += other.bytes;
    }
};

struct PathExtent {
    std::string path;  // /a/[]/b
    Extent extent;
};

struct Contents {
    std::uint64_t items = 0;
    std::uint64_t item_bytes = 0;  // of their JSON
    // By purpose, such as "items" and "change log". Everything is in one of them.
    std::map<std::string, Extent> parts;
    // The part of the index that has an entry for each value: by path, the largest first. The paths
    // of a generation that is being built or removed count as well.
    std::vector<PathExtent> paths;

    Extent total() const;
};

// Reads everything.
Result<Contents> measure(const storage::Reader& store);

}  // namespace orrery::partition
