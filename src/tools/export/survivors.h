// Finds, among the versions of items that were read from the change feed, the newest one of each
// item that has not been deleted (docs/adr/0035). Takes about 50 bytes of memory for each version.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "model/container_definition.h"
#include "tools/import/item_builder.h"

namespace orrery::tools {

class Survivors {
public:
    explicit Survivors(const model::ContainerDefinition& definition);

    // An item of the container, by its _rid as in JSON, quotes included.
    void add_existing(std::string_view rid);
    // A version with its system properties. In the order in which they were read.
    Status add_version(std::string_view item);

    // No more is added. `listed_from` is the number of versions that had been read when the list of
    // existing items was begun: a version after that proves by itself that the item exists.
    void settle(std::uint64_t listed_from);

    // The numbers of the versions that remain, from 0, ascending.
    const std::vector<std::uint64_t>& versions() const { return survivors_; }

private:
    struct Version {
        Hash128 key;  // of the partition key and the id
        std::uint64_t number;
        std::uint64_t rid;
    };

    const ItemBuilder builder_;
    std::vector<std::uint64_t> existing_;  // hashes of their rids
    std::vector<Version> versions_;
    std::vector<std::uint64_t> survivors_;
};

}  // namespace orrery::tools
