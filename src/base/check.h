// CHECK(condition) guards against bugs, never against input: it logs and aborts, even in release.

#pragma once

namespace orrery {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace orrery

#define CHECK(condition) \
    ((condition) ? static_cast<void>(0) : ::orrery::check_failed(#condition, __FILE__, __LINE__))
