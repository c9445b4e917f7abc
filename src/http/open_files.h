// Every connection is an open file; the default limit of many systems is far below what the server
// can carry.

#pragma once

#include <cstddef>

namespace orrery::http {

// Raises the process's limit on open files as far as it may and returns what it is now.
std::size_t raise_open_files_limit();

}  // namespace orrery::http
