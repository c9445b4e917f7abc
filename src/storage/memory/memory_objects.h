// Shared objects in memory: for tests and simulations, in which several nodes share one of these.

#pragma once

#include <map>
#include <mutex>

#include "storage/shared_objects.h"

namespace orrery::storage {

class MemoryObjects final : public SharedObjects {
public:
    Result<std::optional<Value>> read(std::string_view name) override;
    Result<Version> write(std::string_view name, std::string_view bytes, Version expected) override;
    Status remove(std::string_view name, Version expected) override;
    Result<std::vector<std::string>> list(std::string_view prefix) override;
    // Callbacks run in the thread that notifies.
    Result<Watch> watch(std::string_view name, std::function<void()> on_notify) override;
    Status notify(std::string_view name) override;

private:
    using Callback = std::function<void()>;

    std::mutex mutex_;  // guards the members below
    Version last_version_ = kAbsent;
    std::map<std::string, Value, std::less<>> values_;
    std::multimap<std::string, std::weak_ptr<const Callback>, std::less<>> watches_;
};

}  // namespace orrery::storage
