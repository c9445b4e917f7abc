#include "storage/rados/librados.h"

#include <dlfcn.h>
#include <memory>
#include <mutex>
#include <string>

namespace orrery::storage {

namespace {

constexpr const char* kLibrary = "librados.so.2";

Result<std::unique_ptr<const Librados>> load() {
    void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        const char* const reason = dlerror();
        return Error(
            ErrorCode::kUnavailable,
            std::string("a cluster needs Ceph's client library, which could not be loaded (") +
                (reason == nullptr ? kLibrary : reason) +
                "); on Debian: apt-get install librados2");
    }
    auto functions = std::make_unique<Librados>();
    const char* missing = nullptr;
    const auto find = [&](auto& function, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        if (function == nullptr) missing = name;
    };
#define ORRERY_FIND(name) find(functions->name, "rados_" #name);
    ORRERY_LIBRADOS_FUNCTIONS(ORRERY_FIND)
#undef ORRERY_FIND
    if (missing != nullptr) {
        return Error(ErrorCode::kUnavailable,
                     std::string(kLibrary) + " is too old: it has no " + missing +
                         "; Ceph 16 or newer is needed");
    }
    return std::unique_ptr<const Librados>(std::move(functions));
}

}  // namespace

Result<const Librados*> load_librados() {
    static std::mutex mutex;
    static std::unique_ptr<const Librados> loaded;
    const std::lock_guard lock(mutex);
    if (!loaded) loaded = TRY(load());
    return loaded.get();
}

}  // namespace orrery::storage
