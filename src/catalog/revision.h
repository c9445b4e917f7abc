// When a catalog resource last changed, and in which version of the catalog.

#pragma once

#include <cstdint>
#include <string>

namespace orrery::catalog {

struct Revision {
    std::uint64_t version = 0;  // of the catalog
    std::int64_t timestamp = 0;

    std::string etag() const;
};

}  // namespace orrery::catalog
