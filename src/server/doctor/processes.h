// Which process listens on a port, from what Linux tells in /proc.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orrery::server::doctor {

struct ListeningSocket {
    std::string address;  // "127.0.0.1", "::"
    std::uint16_t port = 0;
    std::uint32_t user = 0;
    std::uint64_t inode = 0;

    bool operator==(const ListeningSocket&) const = default;
};

// Of the text of /proc/net/tcp or /proc/net/tcp6.
std::vector<ListeningSocket> parse_listening(std::string_view table);

struct Process {
    int id = 0;           // 0: not known, because it is another user's
    std::string command;  // its command line, as far as it is printable and short
    std::string user;
};

// The process that keeps others from listening at this address.
std::optional<Process> process_listening(const std::string& address, std::uint16_t port);

std::string command_of(int process);
std::string name_of_user(std::uint32_t id);

// "process 12 of ann (orrery serve)"
std::string described(const Process& process);

}  // namespace orrery::server::doctor
