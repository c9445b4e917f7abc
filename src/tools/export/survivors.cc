#include "tools/export/survivors.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "json/walk.h"

namespace orrery::tools {

namespace {

// 64 bits are enough: a collision matters only between an item that was deleted and one that
// exists.
std::uint64_t hash_of(std::string_view rid) { return murmur3_x64_128(rid, 0).h1; }

}  // namespace

Survivors::Survivors(const model::ContainerDefinition& definition)
    : builder_(definition, ItemRules{}) {}

void Survivors::add_existing(std::string_view rid) { existing_.push_back(hash_of(rid)); }

Status Survivors::add_version(std::string_view item) {
    const auto rid = json::find_member(item, "_rid");
    if (!rid) return Error(ErrorCode::kInternal, "the server's answer has an item without _rid");
    const Item built = TRY(builder_.build(std::string(item), false, {}));
    const std::string key = built.partition_key + '\0' + built.id;
    versions_.push_back(
        {.key = murmur3_x64_128(key, 0), .number = versions_.size(), .rid = hash_of(*rid)});
    return {};
}

void Survivors::settle(std::uint64_t listed_from) {
    std::sort(existing_.begin(), existing_.end());
    std::sort(versions_.begin(), versions_.end(), [](const Version& a, const Version& b) {
        return std::tie(a.key.h1, a.key.h2, a.number) < std::tie(b.key.h1, b.key.h2, b.number);
    });
    for (std::size_t i = 0; i < versions_.size(); ++i) {
        const Version& version = versions_[i];
        const bool newest = i + 1 == versions_.size() || !(versions_[i + 1].key == version.key);
        if (!newest) continue;
        const bool exists = version.number >= listed_from ||
                            std::binary_search(existing_.begin(), existing_.end(), version.rid);
        if (exists) survivors_.push_back(version.number);
    }
    std::sort(survivors_.begin(), survivors_.end());
    versions_ = {};
    existing_ = {};
}

}  // namespace orrery::tools
