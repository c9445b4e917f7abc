#include "base/check.h"

#include <cstdlib>

#include "base/log.h"

namespace orrery {

void check_failed(const char* condition, const char* file, int line) {
    log::error("check_failed", {{"condition", condition}, {"file", file}, {"line", line}});
    log::flush();
    std::abort();
}

}  // namespace orrery
