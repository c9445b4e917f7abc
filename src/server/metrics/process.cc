#include <cstdint>
#include <ctime>
#include <dirent.h>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

namespace {

// The second number of /proc/self/statm, in pages.
std::uint64_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    file >> total >> resident;
    return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::size_t open_files() {
    DIR* const directory = opendir("/proc/self/fd");
    if (directory == nullptr) return 0;
    std::size_t entries = 0;
    while (readdir(directory) != nullptr) {
        ++entries;
    }
    closedir(directory);
    constexpr std::size_t kOthers = 3;  // ".", ".." and the directory itself
    return entries - kOthers;
}

std::uint64_t open_files_limit() {
    rlimit limit{};
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

}  // namespace

void write_process(metrics::Writer& writer, const Sources& sources) {
    writer.gauge("orrery_process_resident_memory_bytes", "Memory of the process.")
        .add(resident_bytes());
    writer.counter("orrery_process_cpu_seconds_total", "CPU time of the process.")
        .add(cpu_seconds());
    writer.gauge("orrery_process_start_time_seconds", "When the server started, in Unix time.")
        .add(sources.started_seconds);
    writer.gauge("orrery_process_open_files", "Files and sockets that are open.").add(open_files());
    writer.gauge("orrery_process_open_files_limit", "How many files and sockets may be open.")
        .add(open_files_limit());
    writer.gauge("orrery_build_info", "The version of the server; the value is always 1.")
        .add({{"version", ORRERY_VERSION}}, 1);
}

}  // namespace orrery::server::metrics_page
