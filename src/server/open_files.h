// How many connections the limit on open files leaves room for.

#pragma once

#include <algorithm>
#include <cstddef>

namespace orrery::server {

// Open files that are not connections: tables and logs of the storage, spilled queries, clients
// that are being refused.
inline constexpr std::size_t kFilesReserved = 1500;

// As many as wanted if there is room. 0 means that the limit is not known.
inline std::size_t connections_within(std::size_t open_files_max, std::size_t wanted) {
    const std::size_t room = open_files_max - std::min(open_files_max / 2, kFilesReserved);
    return open_files_max == 0 ? wanted : std::min(wanted, room);
}

}  // namespace orrery::server
