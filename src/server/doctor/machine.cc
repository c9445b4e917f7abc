#include "server/doctor/machine.h"

#include <fstream>
#include <gnu/libc-version.h>
#include <string>
#include <sys/utsname.h>
#include <thread>

#include <fmt/format.h>

#include "server/commands/sizes.h"
#include "server/memory.h"
#include "server/open_files.h"

namespace orrery::server::doctor {

namespace {

// Memtables that may exist at the same time (storage/rocksdb).
constexpr std::uint64_t kMemtables = 4;
// The program itself, its threads and indexes of tables.
constexpr std::uint64_t kOtherMegabytes = 128;
constexpr std::uint64_t kFreeMegabytesMin = 256;
// Fewer are not even enough for the tables of a small database.
constexpr std::size_t kOpenFilesMin = 512;

// What the server uses when all its limits are reached at the same time.
std::uint64_t memory_megabytes_max(const ServeConfig& config, std::uint64_t usable) {
    const std::uint64_t cache =
        config.block_cache_mb > 0 ? config.block_cache_mb : default_cache_mb(usable);
    return cache + kMemtables * config.memtable_mb + config.body_memory_mb +
           config.response_memory_mb + config.query_memory_mb + kOtherMegabytes;
}

// RocksDB is built for processors with it.
bool has_checksum_instruction() {
#ifdef __x86_64__
    return __builtin_cpu_supports("sse4.2") != 0;
#else
    return true;
#endif
}

}  // namespace

Finding check_system() {
    Finding out{.check = "system"};
    utsname system{};
    uname(&system);
    out.text = fmt::format("orrery {}, {} {}, {}, glibc {}, {} cores",
                           ORRERY_VERSION,
                           system.sysname,
                           system.release,
                           system.machine,
                           gnu_get_libc_version(),
                           std::thread::hardware_concurrency());
    if (!has_checksum_instruction()) {
        out.state = State::kProblem;
        out.advice = {"This processor has no SSE4.2, which the server needs: use another machine."};
    }
    return out;
}

Memory measure_memory() {
    Memory out{.usable = usable_memory_bytes()};
    std::ifstream file("/proc/meminfo");
    std::string name;
    std::uint64_t kilobytes = 0;
    std::string unit;
    while (file >> name >> kilobytes) {
        std::getline(file, unit);
        if (name == "MemAvailable:") out.free = kilobytes << 10;
    }
    return out;
}

Finding check_memory(const ServeConfig& config, const Memory& memory) {
    const std::uint64_t wanted = memory_megabytes_max(config, memory.usable) << 20;
    Finding out{.check = "memory",
                .text = fmt::format("{} usable, {} free; the settings allow the server {}",
                                    size_text(memory.usable),
                                    size_text(memory.free),
                                    size_text(wanted))};
    if (wanted > memory.usable) {
        out.state = State::kWarning;
        out.advice.emplace_back(
            "Lower --block-cache-mb, --memtable-mb, --query-memory-mb, "
            "--body-memory-mb or --response-memory-mb.");
    }
    if (memory.free < kFreeMegabytesMin << 20) {
        out.state = State::kWarning;
        out.advice.emplace_back("End other programs, or the system may end the server.");
    }
    return out;
}

Finding check_open_files(const ServeConfig& config, std::size_t limit) {
    Finding out{.check = "files"};
    if (limit == 0) {
        out.state = State::kNote;
        out.text = "the limit on open files is not known";
        return out;
    }
    const std::size_t connections = connections_within(limit, config.connections_max);
    out.text =
        fmt::format("{} may be open, which is enough for {} connections", limit, connections);
    if (connections == config.connections_max) return out;
    out.state = limit < kOpenFilesMin ? State::kProblem : State::kWarning;
    out.text += fmt::format(" of {} (--connections-max)", config.connections_max);
    out.advice = {
        "Raise the hard limit: `ulimit -Hn`, LimitNOFILE= in a systemd unit, --ulimit "
        "nofile= of Docker."};
    return out;
}

}  // namespace orrery::server::doctor
