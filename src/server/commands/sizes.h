// Sizes in the output of commands.

#pragma once

#include <cstdint>
#include <string>

#include "json/value.h"
#include "partition/contents.h"

namespace orrery::server {

// 12.3 MB
std::string size_text(std::uint64_t bytes);

std::string extent_text(const std::string& name, const partition::Extent& extent);
json::Value extent_json(const partition::Extent& extent);

}  // namespace orrery::server
