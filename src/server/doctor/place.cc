#include "server/doctor/place.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <linux/magic.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>

#include "server/commands/sizes.h"
#include "storage/data_directory.h"

namespace orrery::server::doctor {

namespace {

constexpr std::uint64_t kDiskBytesMin = std::uint64_t{64} << 20;
constexpr std::uint64_t kDiskBytesFew = std::uint64_t{1} << 30;
constexpr int kPortsTried = 20;
constexpr mode_t kOthers = 0077;

std::string address_text(const ServeConfig& config) {
    const bool six = config.address.find(':') != std::string::npos;
    return fmt::format("{}:{}", six ? "[" + config.address + "]" : config.address, config.port);
}

// As a server binds; 0 if it could.
int try_to_bind(const std::string& address, std::uint16_t port) {
    sockaddr_in6 six{};
    sockaddr_in four{};
    const bool is_six = inet_pton(AF_INET6, address.c_str(), &six.sin6_addr) == 1;
    if (!is_six && inet_pton(AF_INET, address.c_str(), &four.sin_addr) != 1) return EINVAL;
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    const int file = socket(is_six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0) return errno;
    const int on = 1;
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    const auto* const place =
        is_six ? reinterpret_cast<const sockaddr*>(&six) : reinterpret_cast<const sockaddr*>(&four);
    const bool bound = bind(file, place, is_six ? sizeof(six) : sizeof(four)) == 0;
    const int problem = bound ? 0 : errno;
    close(file);
    return problem;
}

bool is_orrery(const Process& process) {
    const std::string program = process.command.substr(0, process.command.find(' '));
    return std::filesystem::path(program).filename() == "orrery";
}

void explain_use(const ServeConfig& config, const PortExamination& port, Finding& out) {
    out.text = address_text(config) + " is in use";
    if (port.holder) out.text += " by " + described(*port.holder);
    const bool server = port.holder && is_orrery(*port.holder);
    out.state = server ? State::kNote : State::kProblem;
    if (port.free_port > 0) {
        ServeConfig other = config;
        other.port = port.free_port;
        out.advice.push_back(
            fmt::format("{}: orrery serve --listen {}",
                        server ? "A second server needs another port" : "Use another port",
                        address_text(other)));
    }
    if (server) return;
    if (port.holder && port.holder->id > 0) {
        out.advice.push_back(fmt::format("Or end that process: kill {}", port.holder->id));
    } else {
        out.advice.push_back(
            fmt::format("Or find out which process it is: sudo ss -ltnp sport = :{}", config.port));
    }
}

// Absolute, without dots and a slash at the end.
std::filesystem::path full(const std::string& path) {
    std::error_code failed;
    const auto out = std::filesystem::absolute(path, failed).lexically_normal();
    return out.has_filename() ? out : out.parent_path();
}

std::filesystem::path nearest_existing(const std::string& path) {
    std::error_code failed;
    std::filesystem::path out = full(path);
    while (!std::filesystem::exists(out, failed) && out.has_relative_path())
        out = out.parent_path();
    return out;
}

bool may_write(const std::string& path) {
    return faccessat(AT_FDCWD, path.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0;
}

std::string this_user() { return name_of_user(geteuid()); }

void explain_refusal(const Error& error, const std::string& path, Finding& out) {
    out.state = State::kProblem;
    out.text = error.message();
    if (error.code() == ErrorCode::kBadRequest) {
        out.advice = {"Name another directory with --data."};
    } else if (error.code() == ErrorCode::kCorrupted) {
        out.advice = {
            "Restore a backup into a new directory: orrery restore --from BACKUPS --to "
            "DIR"};
    } else if (error.code() == ErrorCode::kUnavailable) {
        out.advice = {"Run the server (and this command) as the user that owns " + path + "."};
    }
}

void explain_missing(const std::string& path, Finding& out) {
    const std::string above = nearest_existing(path).string();
    const bool direct = full(path).parent_path() == above;
    if (!may_write(above)) {
        out.state = State::kProblem;
        out.text =
            fmt::format("{} cannot be created: {} may not write to {}", path, this_user(), above);
        out.advice = {"Name another directory with --data, or run the server as another user."};
    } else if (!direct) {
        out.state = State::kProblem;
        out.text = fmt::format("{} cannot be created: there is nothing below {}", path, above);
        out.advice = {fmt::format("mkdir -p '{}'", path)};
    } else {
        out.text = path + " does not exist; the first start creates it";
    }
}

void check_permissions(const std::string& path, Finding& out) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0) return;
    if (!may_write(path)) {
        out.state = State::kProblem;
        out.text += fmt::format(", but {} may not write to it", this_user());
        out.advice = {fmt::format("Run the server as {}, or: sudo chown -R {} '{}'",
                                  name_of_user(info.st_uid),
                                  this_user(),
                                  path)};
    } else if (info.st_uid != geteuid()) {
        out.state = State::kNote;
        out.text += fmt::format(", belongs to {}", name_of_user(info.st_uid));
        out.advice = {"Run the server as that user, or it will own some of the files."};
    }
    if ((info.st_mode & kOthers) != 0 && out.state != State::kProblem) {
        out.state = State::kWarning;
        out.text += ", can be read by other users, as can account keys in it";
        out.advice.push_back(fmt::format("chmod 700 '{}'", path));
    }
}

}  // namespace

PortExamination examine_port(const ServeConfig& config) {
    PortExamination out{.problem = try_to_bind(config.address, config.port)};
    if (out.problem != EADDRINUSE) return out;
    out.holder = process_listening(config.address, config.port);
    for (int next = config.port + 1; next <= std::min(config.port + kPortsTried, 65535); ++next) {
        const auto port = static_cast<std::uint16_t>(next);
        if (try_to_bind(config.address, port) != 0) continue;
        out.free_port = port;
        break;
    }
    return out;
}

Finding check_port(const ServeConfig& config, const PortExamination& port) {
    Finding out{.check = "port"};
    const std::string place = address_text(config);
    switch (port.problem) {
        case 0:
            out.text = config.port == 0 ? "the server picks a free one" : place + " is free";
            break;
        case EADDRINUSE:
            explain_use(config, port, out);
            break;
        case EADDRNOTAVAIL:
            out.state = State::kProblem;
            out.text = config.address + " is not an address of this machine";
            out.advice = {"Listen on 127.0.0.1, or on 0.0.0.0 for clients on other machines."};
            break;
        case EACCES:
            out.state = State::kProblem;
            out.text = fmt::format("{} may not listen on {}", this_user(), place);
            out.advice = {
                "Use a port from 1024, or allow lower ones: sudo setcap "
                "cap_net_bind_service=+ep \"$(command -v orrery)\""};
            break;
        default:
            out.state = State::kProblem;
            out.text = place + ": " + std::generic_category().message(port.problem);
    }
    return out;
}

Finding check_data(const ServeConfig& config, int listening) {
    Finding out{.check = "data"};
    if (config.ephemeral) {
        out.text = "in memory (--ephemeral)";
        return out;
    }
    const std::string& path = config.data_directory;
    const auto found = storage::examine_data_directory(path);
    if (!found) {
        explain_refusal(found.error(), path, out);
        return out;
    }
    if (!found->exists) {
        explain_missing(path, out);
        return out;
    }
    out.text =
        found->has_data ? fmt::format("{}, format {}", path, found->format) : path + " is empty";
    check_permissions(path, out);
    if (!found->in_use) return out;
    const std::string user =
        found->user > 0 ? fmt::format("process {} ({})", found->user, command_of(found->user))
                        : "another process";
    out.text += ", in use by " + user;
    if (listening == 0 || listening != found->user) {
        out.state = State::kProblem;
        out.advice.emplace_back("A second server needs a directory of its own: --data DIR");
    }
    return out;
}

Result<Disk> measure_disk(const std::string& path) {
    Disk out{.path = nearest_existing(path).string()};
    struct statvfs usage {};
    struct statfs kind {};
    if (statvfs(out.path.c_str(), &usage) != 0 || statfs(out.path.c_str(), &kind) != 0) {
        return Error(ErrorCode::kUnavailable,
                     out.path + ": " + std::generic_category().message(errno));
    }
    out.free_bytes = std::uint64_t{usage.f_bavail} * usage.f_frsize;
    // Some file systems make them as needed, and have neither a total nor a rest.
    out.free_files = usage.f_files == 0 ? UINT64_MAX : std::uint64_t{usage.f_favail};
    out.read_only = (usage.f_flag & ST_RDONLY) != 0;
    out.in_memory = kind.f_type == TMPFS_MAGIC;
    return out;
}

Finding check_disk(const Disk& disk) {
    Finding out{.check = "disk",
                .text = fmt::format("{} free at {}", size_text(disk.free_bytes), disk.path)};
    if (disk.read_only) {
        out.state = State::kProblem;
        out.text = disk.path + " is on a file system that is mounted for reading only";
        out.advice = {"Name a directory on another disk with --data, or mount this one with rw."};
    } else if (disk.free_files == 0) {
        out.state = State::kProblem;
        out.text += ", but no file can be created there (no inodes left)";
        out.advice = {"Remove files from this disk, or name a directory on another with --data."};
    } else if (disk.free_bytes < kDiskBytesFew) {
        const bool full = disk.free_bytes < kDiskBytesMin;
        out.state = full ? State::kProblem : State::kWarning;
        if (full) out.text += ": the server will refuse writes, or not start";
        out.advice = {"Free some space, or name a directory on another disk with --data."};
    } else if (disk.in_memory) {
        out.state = State::kWarning;
        out.text += ", which is in memory: a reboot loses it";
        out.advice = {"Name a directory on a disk with --data."};
    }
    return out;
}

}  // namespace orrery::server::doctor
