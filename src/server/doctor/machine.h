// Checks of the machine: processor and system, memory, open files.

#pragma once

#include <cstddef>
#include <cstdint>

#include "server/config.h"
#include "server/doctor/finding.h"

namespace orrery::server::doctor {

Finding check_system();

struct Memory {
    std::uint64_t usable = 0;  // bytes that the server may use at most
    std::uint64_t free = 0;    // bytes that are available now
};
Memory measure_memory();
Finding check_memory(const ServeConfig& config, const Memory& memory);

// `limit`: what the process may open; 0 if that is not known.
Finding check_open_files(const ServeConfig& config, std::size_t limit);

}  // namespace orrery::server::doctor
