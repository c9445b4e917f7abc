#include "server/doctor/processes.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <pwd.h>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

namespace orrery::server::doctor {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kListening = "0A";  // the state in the table
constexpr std::size_t kCommandBytesMax = 100;
constexpr std::size_t kPasswordEntryBytes = 16384;

template <typename T>
T number(std::string_view text, int base) {
    T out{};
    std::from_chars(text.data(), text.data() + text.size(), out, base);
    return out;
}

// Words of 32 bits, each in the byte order of the machine: 0100007F is 127.0.0.1.
std::string printed_address(std::string_view digits) {
    std::array<std::uint32_t, 4> words{};
    const std::size_t count = std::min(digits.size() / 8, words.size());
    for (std::size_t i = 0; i < count; ++i) {
        words[i] = number<std::uint32_t>(digits.substr(8 * i, 8), 16);
    }
    std::array<char, INET6_ADDRSTRLEN> out{};
    inet_ntop(count == 1 ? AF_INET : AF_INET6, words.data(), out.data(), out.size());
    return out.data();
}

bool is_wildcard(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

bool conflicts(const ListeningSocket& socket, const std::string& address, std::uint16_t port) {
    return socket.port == port &&
           (socket.address == address || is_wildcard(socket.address) || is_wildcard(address));
}

std::string read_all(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool has_open(const fs::path& process, const std::string& link) {
    std::error_code failed;
    for (fs::directory_iterator entry(process / "fd", failed), end; !failed && entry != end;
         entry.increment(failed)) {
        std::error_code ignored;
        if (fs::read_symlink(entry->path(), ignored) == link) return true;
    }
    return false;
}

// 0 if it is not found, as happens with processes of other users.
int process_with(std::uint64_t inode) {
    const std::string link = fmt::format("socket:[{}]", inode);
    std::error_code failed;
    for (fs::directory_iterator entry("/proc", failed), end; !failed && entry != end;
         entry.increment(failed)) {
        const int id = number<int>(entry->path().filename().string(), 10);
        if (id > 0 && has_open(entry->path(), link)) return id;
    }
    return 0;
}

}  // namespace

std::vector<ListeningSocket> parse_listening(std::string_view table) {
    std::vector<ListeningSocket> out;
    std::istringstream lines{std::string(table)};
    std::string line;
    std::getline(lines, line);  // the heading
    while (std::getline(lines, line)) {
        // sl local_address rem_address st queues timer retransmissions uid timeout inode ...
        std::istringstream fields(line);
        const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
        if (words.size() < 10 || words[3] != kListening) continue;
        const std::size_t colon = words[1].find(':');
        if (colon == std::string::npos) continue;
        out.push_back({.address = printed_address(std::string_view(words[1]).substr(0, colon)),
                       .port = number<std::uint16_t>(words[1].substr(colon + 1), 16),
                       .user = number<std::uint32_t>(words[7], 10),
                       .inode = number<std::uint64_t>(words[9], 10)});
    }
    return out;
}

std::optional<Process> process_listening(const std::string& address, std::uint16_t port) {
    for (const char* const table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        for (const ListeningSocket& socket : parse_listening(read_all(table))) {
            if (!conflicts(socket, address, port)) continue;
            const int id = process_with(socket.inode);
            return Process{.id = id,
                           .command = id > 0 ? command_of(id) : "",
                           .user = name_of_user(socket.user)};
        }
    }
    return std::nullopt;
}

std::string command_of(int process) {
    std::string out = read_all(fmt::format("/proc/{}/cmdline", process));
    while (!out.empty() && out.back() == '\0')
        out.pop_back();
    out.resize(std::min(out.size(), kCommandBytesMax));
    std::replace_if(
        out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, ' ');
    return out;
}

std::string name_of_user(std::uint32_t id) {
    std::array<char, kPasswordEntryBytes> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    getpwuid_r(id, &entry, buffer.data(), buffer.size(), &found);
    return found != nullptr ? std::string(found->pw_name) : fmt::format("user {}", id);
}

std::string described(const Process& process) {
    if (process.id == 0) return "a process of " + process.user;
    return fmt::format("process {} of {} ({})", process.id, process.user, process.command);
}

}  // namespace orrery::server::doctor
