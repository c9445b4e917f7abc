#include "service/container_udfs.h"

#include "model/limits.h"
#include "service/scripts.h"

namespace orrery::service {

sql::UdfCaller& ContainerUdfs::caller() {
    if (!calls_) {
        constexpr std::chrono::milliseconds kTimeMax{model::limits::kScriptMillisecondsMax};
        session_ = runtime_.open_udfs(kTimeMax);
        calls_.emplace(*session_, [this](std::string_view name) { return find(name); });
    }
    return *calls_;
}

Result<const script::Script*> ContainerUdfs::find(std::string_view name) {
    const catalog::ScriptPtr found = container_.scripts.find(model::ScriptKind::kUdf, name);
    if (!found) return nullptr;
    used_.push_back(version_of(*found));
    TRY(blocked_.check(used_.back(), found->definition.id));
    return &found->definition;
}

void ContainerUdfs::record(std::chrono::milliseconds took) {
    for (const std::string& version : used_) {
        blocked_.record(version, took);
    }
}

}  // namespace orrery::service
