#include "storage/rados/rados_status.h"

#include <cerrno>
#include <system_error>

#include "base/check.h"

namespace orrery::storage {

namespace {

ErrorCode code_of(int number) {
    switch (number) {
        case ENOENT:
            return ErrorCode::kNotFound;
        case EEXIST:
            return ErrorCode::kConflict;
        case ECANCELED:  // another value
        case ENODATA:    // no value
            return ErrorCode::kPreconditionFailed;
        case ETIMEDOUT:
            return ErrorCode::kTimeout;
        case ESHUTDOWN:  // the cluster refuses everything from this client from now on
            return ErrorCode::kFenced;
        default:
            return ErrorCode::kUnavailable;
    }
}

}  // namespace

Error to_rados_error(int number, const std::string& doing) {
    CHECK(number < 0);
    const std::string reason = number == -ETIMEDOUT ? "no answer from the Ceph cluster in time"
                                                    : std::generic_category().message(-number);
    return Error(code_of(-number), doing + ": " + reason, static_cast<std::uint32_t>(-number));
}

Status to_rados_status(int number, const std::string& doing) {
    if (number >= 0) return {};
    return to_rados_error(number, doing);
}

bool is_full(const Error& error) {
    return error.sub_status() == ENOSPC || error.sub_status() == EDQUOT;
}

}  // namespace orrery::storage
