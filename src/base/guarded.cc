#include "base/guarded.h"

#include "base/log.h"

namespace orrery {

Error internal_error_of_exception(std::string_view doing, const std::exception* exception) {
    log::error("exception",
               {{"doing", doing}, {"what", exception != nullptr ? exception->what() : "unknown"}});
    return Error(ErrorCode::kInternal, "The server failed to process the request.");
}

}  // namespace orrery
