// Every connection is an open file, and the default limit on many systems is far below what the
// server can handle.

#pragma once

#include <cstddef>

namespace orrery::http {

// Raises the process's open-file limit as far as allowed and returns the new limit.
std::size_t raise_open_files_limit();

}  // namespace orrery::http
