// Parsing any target is safe, and a parsed path has the ids its type requires.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "gateway/resource_path.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    const std::string_view target(reinterpret_cast<const char*>(data), size);
    const auto path = orrery::gateway::parse_resource_path(target);
    if (!path) return 0;
    const bool account = path->type == orrery::gateway::ResourceType::kAccount;
    CHECK(account == path->type_name.empty());
    CHECK(account || path->feed || !path->ids.empty());
    CHECK(path->ids.size() <= 4);
    CHECK(!path->signed_links.empty());
    for (const std::string& id : path->ids) {
        CHECK(!id.empty());
    }
    return 0;
}
