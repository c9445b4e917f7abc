// Keeps ThreadSanitizer from reporting false races inside RocksDB.
//
// Debian's RocksDB is not instrumented, so ThreadSanitizer does not see the atomics that order
// memory handed from one thread to another inside the library. Suppressing the library by name
// would also hide races in our own code wherever RocksDB calls it, as it does our file system;
// therefore the innermost frame decides. The compression libraries count as RocksDB: nothing else
// uses them, and it hands their contexts from thread to thread in the same way.

#ifdef __SANITIZE_THREAD__

#include <array>
#include <cstddef>
#include <cstring>
#include <sanitizer/common_interface_defs.h>
#include <string_view>

// The part of the run-time library's interface for debuggers that has no header.
extern "C" {
int __tsan_get_report_data(void* report,
                           const char** description,
                           int* count,
                           int* stack_count,
                           int* access_count,
                           int* location_count,
                           int* mutex_count,
                           int* thread_count,
                           int* unique_thread_count,
                           void** sleep_trace,
                           unsigned long trace_size);
int __tsan_get_report_mop(void* report,
                          unsigned long index,
                          int* thread,
                          void** address,
                          int* size,
                          int* write,
                          int* atomic,
                          void** trace,
                          unsigned long trace_size);
}

namespace __tsan {

namespace {

constexpr std::size_t kFramesMax = 64;

// Functions that act for their caller: the run-time library's own, the standard library's, and the
// destructor of our memtables, which RocksDB calls when it has counted the last reader out.
bool acts_for_caller(std::string_view function, std::string_view module) {
    if (function.find("~TreeMemtable") != std::string_view::npos) return true;
    return module.find("libtsan") != std::string_view::npos ||
           module.find("libstdc++") != std::string_view::npos || function.starts_with("std::") ||
           function.starts_with("void std::") || function.starts_with("__gnu_cxx::");
}

bool is_rocksdb(std::string_view module) {
    for (const std::string_view library : {"librocksdb", "libzstd", "liblz4"}) {
        if (module.find(library) != std::string_view::npos) return true;
    }
    return false;
}

// Whether the memory was accessed by RocksDB itself.
__attribute__((no_sanitize("thread"))) bool is_by_rocksdb(void* const* trace) {
    for (std::size_t i = 0; i < kFramesMax && trace[i] != nullptr; ++i) {
        // "function|module" of each function inlined there, each ended by NUL, then an empty one.
        std::array<char, 4096> text{};
        __sanitizer_symbolize_pc(trace[i], "%f|%m", text.data(), text.size() - 2);
        for (const char* frame = text.data(); *frame != '\0'; frame += std::strlen(frame) + 1) {
            const std::string_view all = frame;
            const std::size_t bar = all.rfind('|');
            const std::string_view module = all.substr(bar + 1);
            if (is_rocksdb(module)) return true;
            if (!acts_for_caller(all.substr(0, bar), module)) return false;
        }
    }
    return false;
}

}  // namespace

class ReportDesc;

// Overrides the run-time library's weak function: true drops the report.
__attribute__((no_sanitize("thread"))) bool OnReport(const ReportDesc* report, bool suppressed) {
    if (suppressed) return true;
    void* const opaque = const_cast<ReportDesc*>(report);
    const char* description = nullptr;
    int accesses = 0;
    int unused = 0;
    void* no_trace = nullptr;
    __tsan_get_report_data(opaque,
                           &description,
                           &unused,
                           &unused,
                           &accesses,
                           &unused,
                           &unused,
                           &unused,
                           &unused,
                           &no_trace,
                           0);
    for (int i = 0; i < accesses; ++i) {
        std::array<void*, kFramesMax> trace{};
        void* address = nullptr;
        __tsan_get_report_mop(opaque,
                              static_cast<unsigned long>(i),
                              &unused,
                              &address,
                              &unused,
                              &unused,
                              &unused,
                              trace.data(),
                              trace.size());
        if (is_by_rocksdb(trace.data())) return true;
    }
    return false;
}

}  // namespace __tsan

#endif
