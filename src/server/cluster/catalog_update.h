// What the leader of the catalog sends to a node with a copy of it. Between nodes of the same
// version: not on disk.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/engine.h"

namespace orrery::server {

struct CatalogUpdate {
    // Whether the operations replace everything there is.
    bool whole = false;
    std::uint64_t term = 0;
    std::uint64_t commits = 0;  // where the copy is afterwards
    std::string operations = {};

    std::string encode() const;
    // kUnavailable if it is damaged.
    static Result<CatalogUpdate> decode(std::string_view bytes);
};

std::string encode_operations(const storage::WriteBatch& batch);
Status add_operations(std::string_view operations, storage::WriteBatch& batch);
// Those that create what a reader holds.
Result<std::string> encode_content(const storage::Reader& reader);

}  // namespace orrery::server
