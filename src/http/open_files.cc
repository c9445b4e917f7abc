#include "http/open_files.h"

#include <sys/resource.h>

namespace orrery::http {

std::size_t raise_open_files_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    const rlim_t before = limit.rlim_cur;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return before;
    return limit.rlim_cur;
}

}  // namespace orrery::http
