// Checks of what a server with these settings would use: its port, its data directory and the disk
// below that.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/config.h"
#include "server/doctor/finding.h"
#include "server/doctor/processes.h"

namespace orrery::server::doctor {

struct PortExamination {
    int problem = 0;  // errno of an attempt to listen
    std::optional<Process> holder = std::nullopt;
    std::uint16_t free_port = 0;  // another one; 0: none found
};
PortExamination examine_port(const ServeConfig& config);
Finding check_port(const ServeConfig& config, const PortExamination& port);

// `listening`: the process that has the port, 0 if none or not known. It may use the directory.
Finding check_data(const ServeConfig& config, int listening);

struct Disk {
    std::string path;  // the data directory, or the nearest directory above it that exists
    std::uint64_t free_bytes = 0;  // for users other than root
    std::uint64_t free_files = 0;
    bool read_only = false;
    bool in_memory = false;
};
Result<Disk> measure_disk(const std::string& path);
Finding check_disk(const Disk& disk);

}  // namespace orrery::server::doctor
