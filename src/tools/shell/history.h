// The lines entered in earlier sessions, in a file that only its user may read.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace orrery::tools {

// orrery/history in $XDG_STATE_HOME, or else in ~/.local/state; empty if neither is known.
std::string history_file();

class History {
public:
    static constexpr std::size_t kLinesMax = 1000;

    // An empty path keeps nothing. Several shells may use a file at the same time.
    explicit History(std::string path) : path_(std::move(path)) {}

    // The newest lines, the oldest of them first. Shortens a file that has become long.
    Result<std::vector<std::string>> load();
    // Adds a line; creates the file and its directory.
    Status add(const std::string& line);

private:
    const std::string path_;
};

}  // namespace orrery::tools
