#include "storage/memory/memory_objects.h"

#include <utility>

namespace orrery::storage {

namespace {

Error version_mismatch(std::string_view name) {
    return Error(ErrorCode::kPreconditionFailed,
                 "'" + std::string(name) + "' has another version now");
}

}  // namespace

Result<std::optional<SharedObjects::Value>> MemoryObjects::read(std::string_view name) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(name);
    if (found == values_.end()) return std::optional<Value>();
    return std::optional(found->second);
}

Result<SharedObjects::Version> MemoryObjects::write(std::string_view name,
                                                    std::string_view bytes,
                                                    Version expected) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(name);
    const Version current = found == values_.end() ? kAbsent : found->second.version;
    if (current != expected) return version_mismatch(name);
    values_.insert_or_assign(std::string(name), Value{std::string(bytes), ++last_version_});
    return last_version_;
}

Status MemoryObjects::remove(std::string_view name, Version expected) {
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(name);
    if (found == values_.end() || found->second.version != expected) return version_mismatch(name);
    values_.erase(found);
    return {};
}

Result<std::vector<std::string>> MemoryObjects::list(std::string_view prefix) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (auto at = values_.lower_bound(prefix);
         at != values_.end() && at->first.starts_with(prefix);
         ++at) {
        out.push_back(at->first);
    }
    return out;
}

Result<SharedObjects::Watch> MemoryObjects::watch(std::string_view name,
                                                  std::function<void()> on_notify) {
    auto callback = std::make_shared<const Callback>(std::move(on_notify));
    const std::lock_guard lock(mutex_);
    watches_.emplace(name, callback);
    return Watch(std::const_pointer_cast<Callback>(callback));
}

Status MemoryObjects::notify(std::string_view name) {
    std::vector<std::shared_ptr<const Callback>> called;
    {
        const std::lock_guard lock(mutex_);
        auto [at, end] = watches_.equal_range(name);
        while (at != end) {
            auto callback = at->second.lock();
            at = callback ? std::next(at) : watches_.erase(at);
            if (callback) called.push_back(std::move(callback));
        }
    }
    for (const auto& callback : called)
        (*callback)();
    return {};
}

}  // namespace orrery::storage
