// The boundary that no exception crosses. Our own code reports errors as Result; what is left is
// bad_alloc and whatever libraries throw, which must cost one request, not the server.

#pragma once

#include <exception>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace orrery {

// Logs the exception that is being handled and returns it as kInternal.
Error internal_error_of_exception(std::string_view doing, const std::exception* exception);

// Runs work that returns a Status; `doing` names it in the log.
template <typename Work>
Status run_guarded(std::string_view doing, Work&& work) {
    try {
        return std::forward<Work>(work)();
    } catch (const std::exception& exception) {
        return internal_error_of_exception(doing, &exception);
    } catch (...) {
        return internal_error_of_exception(doing, nullptr);
    }
}

}  // namespace orrery
