// The items of another container as the input of an import.

#pragma once

#include <atomic>
#include <memory>

#include "tools/import/byte_source.h"
#include "tools/import/import_options.h"
#include "tools/import/records.h"

namespace orrery::tools {

// Reads page by page, in the server's order. `interrupted` must outlive the records.
std::unique_ptr<Records> read_container(const ContainerSource& from,
                                        SourceOptions options,
                                        const std::atomic<bool>& interrupted);

}  // namespace orrery::tools
